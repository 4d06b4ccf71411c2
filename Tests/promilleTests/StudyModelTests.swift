import Foundation
import TestSupport
import Testing

/// The warnings of `fit --model all` about the model of a whole study.
@Suite struct StudyModelTests {
  /// Writes eight people who drink 60 g at once and are read 24 times, errors of at most 0.01 g/kg.
  ///
  /// - Parameter km: In g/kg; 0 for elimination at a constant rate.
  private func write(to folder: TemporaryFolder, km: Double) throws {
    var subjects = "subject,sex,age_y,height_cm,weight_kg\n"
    var drinks = "subject,time_min,ethanol_g\n"
    var readings = "subject,time_min,bac_g_per_kg\n"
    let r = 0.7
    var draw = 0
    for person in 1...8 {
      subjects += "p\(person),male,30,180,80\n"
      drinks += "p\(person),0,60\n"
      let ka = 2.5 + 0.3 * Double(person)
      var unabsorbed = 60 / 80 / r
      var level = 0.0
      for minute in 1...480 {
        // Six steps of ten seconds.
        for _ in 0..<6 {
          let absorbed = unabsorbed * (1 - exp(-ka / 360))
          unabsorbed -= absorbed
          let eliminated = km > 0 ? 0.3 * level / (km + level) : 0.12
          level = max(0, level + absorbed - eliminated / 360)
        }
        guard minute % 20 == 0 else { continue }
        draw += 1
        // Spread evenly and without an order (Weyl).
        let share = (Double(draw) * 0.754_877_666_2).truncatingRemainder(dividingBy: 1)
        let error = 0.02 * (share - 0.5)
        let reading = ((level + error) * 1e4).rounded() / 1e4
        readings += "p\(person),\(minute),\(max(0, reading))\n"
      }
    }
    try folder.write(subjects, to: "subjects.csv")
    try folder.write(drinks, to: "drinks.csv")
    try folder.write(readings, to: "readings.csv")
  }

  private func fitted(km: Double, format: String) async throws -> Outcome {
    let folder = try TemporaryFolder()
    try write(to: folder, km: km)
    return try await Command.promille(
      "fit", folder.path, "--model", "all", "--estimate", "ka,beta", "--fix", "r=0.7",
      "--interval", "none", "--starts", "2", "--format", format)
  }

  @Test func strongSaturationIsWarnedOf() async throws {
    let run = try await fitted(km: 0.3, format: "csv")
    #expect(run.errors.contains("W_STUDY_MODEL: Michaelis-Menten elimination fits the study"))
    #expect(run.errors.contains("Options: --model michaelis-menten"))
    #expect(!run.output.contains("W_STUDY_MODEL"))
  }

  @Test func strongSaturationIsWarnedOfBelowTheTable() async throws {
    let run = try await fitted(km: 0.3, format: "table")
    #expect(run.output.contains("W_STUDY_MODEL: Michaelis-Menten"))
  }

  /// With too large a beta errors grow with time: `compare` warns of it, below a table or beside the rows.
  @Test func biasedPredictionsAreWarnedOf() async throws {
    let folder = try TemporaryFolder()
    try write(to: folder, km: 0)
    let arguments = [
      "compare", folder.path, "--r-factor", "0.7", "--ka", "4", "--beta", "0.2", "--format",
    ]
    let rows = try await Command.promille(arguments + ["csv"])
    #expect(rows.errors.contains("W_BIAS_OVER_TIME: The bias changes over time: 0.7 -"))
    #expect(rows.errors.contains("W_ERRORS_CORRELATED"))
    #expect(!rows.output.contains("W_BIAS"))
    #expect(try await Command.promille(arguments + ["csv", "--quiet"]).errors.isEmpty)
    let table = try await Command.promille(arguments + ["table"])
    #expect(table.output.contains("W_BIAS_OVER_TIME"))
    #expect(!table.errors.contains("W_BIAS"))
    let json = try await Command.promille(arguments + ["json", "--summary"]).output
    #expect(json.contains("\"mean_error_g_per_kg\""))
    #expect(try ColumnList().problems(with: json) == [])
  }

  @Test func constantEliminationRateIsNotWarnedOf() async throws {
    let run = try await fitted(km: 0, format: "csv")
    #expect(!run.errors.contains("W_STUDY_"))
  }
}
