import AlcoholKinetics
import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Units, doses and weights, judged by the r and beta that readings imply.
@Suite struct UnitPlausibilityTests {
  /// Readings of people with usual r and beta, by Widmark's model in steps of a minute, and what they are said to be.
  ///
  /// - Parameters:
  ///   - factor: What a reading is multiplied by, in g/kg before.
  ///   - dose: What a dose is multiplied by.
  ///   - times: When readings are taken, in min.
  private func study(
    of people: Int, in unit: String = "bac_g_per_kg", factor: Double = 1, dose: Double = 1,
    weight: Double = 1, called letter: String = "p",
    times: [Int] = [30, 60, 90, 120, 150, 180, 210, 240]
  ) -> StudySample {
    var sample = StudySample(
      subjects: "subject,sex,weight_kg\n", drinks: "subject,time_min,ethanol_g\n",
      readings: "subject,time_min,\(unit)\n")
    for person in 0..<people {
      let kilograms = 62.0 + 7 * Double(person % 5)
      let grams = 0.75 * kilograms
      let r = 0.66 + 0.04 * Double(person % 4)
      let beta = 0.14 + 0.012 * Double(person % 5)
      sample.subjects += "\(letter)\(person),male,\(kilograms * weight)\n"
      sample.drinks += "\(letter)\(person),0,\(grams * dose)\n"
      var (gut, blood) = (grams / (r * kilograms), 0.0)
      for minute in 1...240 {
        let absorbed = gut * (1 - exp(-4.0 / 60))
        gut -= absorbed
        blood = max(0, blood + absorbed - beta / 60)
        if times.contains(minute) {
          sample.readings? += "\(letter)\(person),\(minute),\(blood * factor)\n"
        }
      }
    }
    return sample
  }

  private func scales(_ sample: StudySample) -> [Diagnostic] {
    sample.findings.filter { [.readingScale, .breathAsBlood].contains($0.code) }
  }

  /// Minutes where hours are due: r is usual, and beta 60 times too low.
  @Test(arguments: [1, 8]) func minutesTakenForHoursAreDetected(_ people: Int) throws {
    var sample = study(of: people)
    sample.readings = sample.readings?.split(separator: "\n").map { line in
      let cells = line.split(separator: ",")
      return Int(cells[1]).map { "\(cells[0]),\(60 * $0),\(cells[2])" } ?? String(line)
    }.joined(separator: "\n")
    let found = scales(sample).filter { $0.location.line == nil }
    #expect(found.map(\.code) == [.readingScale])
    #expect(found.first?.message.contains("minutes stand where hours are due") == true)
  }

  /// Readings in another unit than stated, off by a factor of about ten, of two and of a hundred.
  @Test(arguments: [
    ("bac_g_per_kg", 0.1055, 1, DiagnosticCode.readingScale, "as bac_g_per_100ml they would fit"),
    ("bac_g_per_kg", 0.1055, 6, .readingScale, "9.5 times too low"),
    (
      "bac_g_per_100ml", 1.055, 6, .readingScale,
      "as bac_g_per_l they would fit; they are 10 times too high"
    ),
    ("bac_mg_per_100ml", 1.055, 3, .readingScale, "as bac_g_per_l they would fit"),
    (
      "bac_g_per_l", 0.5024, 6, .breathAsBlood,
      "as brac_mg_per_l they would fit; they are 2.1 times too low"
    ),
    (
      "brac_mg_per_l", 1.055, 12, .readingScale,
      "as bac_g_per_l they would fit; they are 2.1 times too high"
    ),
    ("brac_mg_per_l", 50.24, 3, .readingScale, "as brac_ug_per_100ml they would fit"),
  ])
  func likelyUnitIsNamed(
    _ unit: String, _ factor: Double, _ people: Int, _ code: DiagnosticCode, _ says: String
  ) throws {
    let ofStudy = scales(study(of: people, in: unit, factor: factor)).filter {
      $0.location.line == nil
    }
    #expect(ofStudy.map(\.code) == [code])
    #expect(try #require(ofStudy.first).message.contains(says), "\(ofStudy)")
  }

  /// One person among others, whose study is as it should be.
  @Test(arguments: [
    (0.5024, "as brac_mg_per_l they would fit"), (1 / 9.48, "too low"),
  ])
  func onePersonInAnotherUnitIsDetected(_ factor: Double, _ says: String) throws {
    var sample = study(of: 6)
    sample.readings = sample.readings?.split(separator: "\n").map { line in
      let cells = line.split(separator: ",")
      guard cells[0] == "p2", let value = Double(cells[2]) else { return String(line) }
      return "p2,\(cells[1]),\(value * factor)"
    }.joined(separator: "\n")
    let found = scales(sample).filter { $0.message.contains("beside everybody else's") }
    #expect(found.map(\.code) == [.readingScale], "\(scales(sample))")
    #expect(found.first?.location.line == 18)
    #expect(found.first?.message.contains("\"p2\"") == true)
    #expect(found.first?.message.contains(says) == true, "\(found)")
  }

  /// If beta is usual, the readings are not at fault.
  @Test(arguments: [
    (0.1, 1.0, "doses in drinks of 10 g, taken as g, would fit"),
    (1.0, 2.2046, "weights in lb, taken as kg, would fit"),
    (1.0, 1 / 2.2046, "weights in kg, taken as lb, would fit"),
    (5.0, 1.0, "doses per body weight are 4.8 times too high"),
  ])
  func wrongDosesAndWeightsAreNamed(_ dose: Double, _ weight: Double, _ says: String) throws {
    let found = scales(study(of: 8, dose: dose, weight: weight)).filter { $0.location.line == nil }
    #expect(found.map(\.code) == [.readingScale])
    #expect(try #require(found.first).message.contains("beta is usual"), "\(found)")
    #expect(try #require(found.first).message.contains(says), "\(found)")
  }

  /// True studies differ by as much as these.
  @Test(arguments: [1.0, 1.055, 1.16, 1 / 1.16, 0.952])
  func smallFactorsAreNotReported(_ factor: Double) {
    #expect(scales(study(of: 48, factor: factor)).isEmpty)
    #expect(scales(study(of: 48, dose: factor)).isEmpty)
  }

  /// Subjects who were measured in another unit are judged separately.
  @Test func eachUnitIsJudgedSeparately() throws {
    let first = study(of: 6, factor: 0.1055)
    let second = study(of: 6, in: "bac_g_per_l", factor: 1.055, called: "q")
    let bare = try [first, second].flatMap { try $0.read().series }.map {
      Series(subject: $0.subject, drinks: $0.drinks, readings: $0.readings)
    }
    let found = Study.checked(bare).findings
    try #require(found.count == 1)
    #expect(found[0].message.contains("6 series, in bac_g_per_kg"), "\(found)")
  }

  /// Readings during absorption and on a plateau carry no information on elimination.
  @Test func readingsThatDoNotFallGiveNoBeta() {
    let early = study(of: 2, factor: 0.2, times: [10, 20, 30])
    #expect(scales(early).allSatisfy { $0.location.line != nil })
    let flat = StudySample(
      readings: "subject,time_min,bac_g_per_kg\nann,60,0.9\nann,120,0.9\nann,180,0.89\n")
    #expect(scales(flat).isEmpty)
  }

  @Test(arguments: [
    "wilkinson-1977-oral", "thierauf-emberger-2023", "mumenthaler-2000-individual", "hip-flask",
  ])
  func measuredStudiesAreNotDoubted(_ name: String) throws {
    guard PackageFolder.hasShared(name) else { return }
    let study = try StudyReader.read(PackageFolder.shared(name))
    let codes = study.allDiagnostics.map(\.code)
    #expect(!codes.contains(.readingScale) && !codes.contains(.breathAsBlood))
  }
}
