import AlcoholKinetics
import ArgumentParser
import Foundation
import TestSupport
import Testing
import Validation

@testable import promille

/// Every command that predicts accepts every model.
@Suite struct AnyModelTests {
  private static func study(in folder: TemporaryFolder) throws {
    try folder.write("subject,sex,age_y,height_cm,weight_kg\nann,f,30,165,60\n", to: "subjects.csv")
    try folder.write(
      "subject,time_min,duration_min,ethanol_g,route\nann,0,0,20,\nann,30,20,10,iv\n",
      to: "drinks.csv")
    try folder.write(
      "subject,time_min,bac_g_per_kg\nann,40,0.5\nann,120,0.4\nann,240,0.15\nann,300,0.05\n",
      to: "readings.csv")
  }

  @Test(arguments: EliminationModel.allCases)
  func everyModelPredicts(model: EliminationModel) async throws {
    let folder = try TemporaryFolder()
    try Self.study(in: folder)
    let path = folder.path
    let typical = TypicalKinetics.fasted.values(of: model, for: .female)
    let prediction = ["--model", model.rawValue, "--r-factor", "0.6"]
    for command in ["sober", "compare"] {
      let outcome = try await Command.promille([command, path, "--format", "csv"] + prediction)
      #expect(outcome.status == 0, "\(command): \(outcome.errors)")
      let row = try #require(try outcome.rows.first)
      #expect(row["status"] == "ok" && row["sober_predicted_min"] != "", "\(command)")
      for parameter in FitParameter.allCases where ![.r, .lag, .gain].contains(parameter) {
        let isOwn = model.parameters.contains(parameter)
        let value = row[parameter.traits.columnName] ?? ""
        #expect(value == (isOwn ? "\(typical[parameter] ?? .nan)" : ""), "\(command)")
      }
    }
    let curves = try await Command.promille(["simulate", path, "--every", "30"] + prediction)
    let points = try curves.rows
    #expect(curves.status == 0 && points.count > 8)
    if model != .widmark {
      let zero = try await Command.promille(["sober", path, "--threshold", "0"] + prediction)
      #expect(zero.status == 1 && zero.output.contains("E_NEVER_SOBER"))
    }
  }

  /// Commands that draw or tabulate fits and predictions side by side use one model for both.
  @Test(arguments: EliminationModel.allCases)
  func predictionsUseTheFittedModel(model: EliminationModel) throws {
    let study = ["study", "--model", model.rawValue]
    let commands = [
      try Plot.parse(study + ["--subject", "ann", "-o", "x.svg"]).curves,
      try ReportCommand.parse(study + ["-o", "x.html"]).curves,
      try Export.parse(study + ["--notebook", "-o", "x"]).curves,
    ]
    for command in commands {
      let options = command.predictionOptions
      #expect(options.model == model && options.parameters == .given([:]))
      #expect(options.typical == nil)
    }
    let foreign = model == .widmark ? ["--predict-with", "km=0.05"] : ["--beta", "0.15"]
    #expect(throws: (any Error).self) {
      try ReportCommand.parse(study + ["-o", "x.html"] + foreign)
    }
  }

  /// A cohort of a model is fitted by it, and its truth has its columns.
  @Test(arguments: EliminationModel.allCases)
  func everyModelSimulatesCohorts(model: EliminationModel) async throws {
    let folder = try TemporaryFolder()
    let path = folder("cohort")
    let made = try await Command.promille(
      ["simulate", "--cohort", "2", "--noise", "0", "--r-spread", "0", "--model", model.rawValue]
        + ["-o", path])
    #expect(made.status == 0, "\(made.errors)")
    let truth = try CSVText.rows(try folder.read("cohort/truth.csv"))
    let fits = try await Command.promille(
      ["fit", path, "--model", model.rawValue, "--interval", "none", "--format", "csv"])
    for (row, fit) in zip(truth, try fits.rows) {
      for parameter in model.defaultEstimate {
        let column = parameter.traits.columnName
        let (known, found) = (try #require(row[column].flatMap(Double.init)), fit[column])
        // Readings have four decimals.
        #expect(abs((found.flatMap(Double.init) ?? 0) / known - 1) < 0.05, "\(column)")
      }
    }
  }
}
