import AlcoholKinetics
import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Mistakes by a factor, of which findings name the factor.
@Suite struct PlausibilityTests {
  @Test func poundsInAColumnOfKilogramsAreDoubted() {
    let sample = StudySample(
      subjects: "subject,sex,age_y,height_cm,weight_kg\nann,female,30,165,137\n")
    #expect(sample.findings.map(\.code) == [.weightPounds])
    #expect(sample.findings[0].message.contains("a body mass index of 50.3, and as pounds 22.8"))
    // Somebody heavy is heavy as pounds, too.
    let heavy = StudySample(
      subjects: "subject,sex,age_y,height_cm,weight_kg\nann,female,30,165,240\n")
    #expect(!heavy.findings.map(\.code).contains(.weightPounds))
  }

  /// 71 inches are 180 cm; 300 kg and 30 kg at 1.8 m are no other unit of anything usual.
  @Test(arguments: [("71", "80", "inches 24.6"), ("180", "300", "92.6"), ("180", "30", "9.3")])
  func impossibleBodiesAreDoubted(_ height: String, _ weight: String, _ says: String) throws {
    let sample = StudySample(
      subjects: "subject,sex,age_y,height_cm,weight_kg\nann,female,30,\(height),\(weight)\n")
    let finding = try #require(sample.findings.first { $0.code == .bodyMass })
    #expect(finding.message.contains(says), "\(finding)")
  }

  @Test func likelyUnitIsNamed() throws {
    let high = StudySample(
      readings: "subject,time_min,bac_g_per_kg\nann,30,50\nann,60,40\nann,90,30\n")
    let finding = try #require(high.findings.first { $0.code == .readingScale })
    #expect(finding.message.contains("as bac_mg_per_100ml it would fit"), "\(finding)")
    let low = StudySample(
      readings: "subject,time_min,bac_g_per_kg\nann,30,0.05\nann,60,0.04\nann,90,0.03\n")
    let other = try #require(low.findings.first { $0.code == .readingScale })
    #expect(other.message.contains("as bac_g_per_100ml it would fit"), "\(other)")
  }

  /// 40 g in 60 kg with an r of 0.6 is 1.1 g/kg at first; breath in mg/L is half of that.
  private func study(of peak: Double, people: Int = 3) -> StudySample {
    var sample = StudySample(
      subjects: "subject,sex,age_y,height_cm,weight_kg\n", drinks: "subject,time_min,ethanol_g\n",
      readings: "subject,time_min,bac_g_per_kg\n")
    for number in 1...people {
      sample.subjects += "p\(number),female,30,165,60\n"
      sample.drinks += "p\(number),0,40\n"
      sample.readings? += "p\(number),45,\(peak)\np\(number),90,\(peak - 0.08)\n"
    }
    return sample
  }

  /// Peaks are less informative if people drink until late; the made-up study has such people.
  @Test(arguments: [("bac_g_per_l", true), ("brac_mg_per_l", false)])
  func breathOfLateDrinkersIsDoubted(_ unit: String, _ isDoubted: Bool) throws {
    func text(_ name: String) throws -> String {
      try String(
        contentsOfFile: PackageFolder.dataset("made-up-24") + "/\(name)", encoding: .utf8)
    }
    let sample = StudySample(
      subjects: try text("subjects.csv"), drinks: try text("drinks.csv"),
      readings: try text("readings.csv").replacing("brac_mg_per_l", with: unit))
    #expect(sample.findings.map(\.code).contains(.breathAsBlood) == isDoubted)
  }

  @Test func breathInAColumnOfBloodIsDoubted() {
    #expect(study(of: 0.45).findings.map(\.code) == [.breathAsBlood])
    #expect(study(of: 0.9).findings.isEmpty)
    // Two people may be two odd people.
    #expect(study(of: 0.45, people: 2).findings.isEmpty)
  }

  /// A night written by a clock of 24 hours, its rows in order of these times: 23:00 and 0:10 are an hour apart.
  @Test func nightSortedByClockIsAnError() {
    let sample = StudySample(
      drinks: "subject,time_min,ethanol_g\nann,15,10\nann,1290,40\n",
      readings:
        "subject,time_min,bac_g_per_kg\nann,40,0.6\nann,70,0.5\nann,1350,0.5\nann,1430,0.6\n")
    #expect(sample.findings.map(\.code) == [.time])
    let before = StudySample(
      drinks: "subject,time_min,ethanol_g\nann,1290,40\n",
      readings:
        "subject,time_min,bac_g_per_kg\nann,10,0.6\nann,70,0.5\nann,1350,0.5\nann,1430,0.6\n")
    #expect(before.findings.map(\.code) == [.time])
  }

  @Test func anotherEveningInOneSeriesIsAnError() {
    let sample = StudySample(
      drinks: "subject,time_min,ethanol_g\nann,0,40\nann,10080,40\n",
      readings: "subject,time_min,bac_g_per_kg\nann,60,0.6\nann,400,0\nann,10140,0.6\n")
    #expect(sample.findings.map(\.code) == [.time])
    #expect(sample.findings[0].message.contains("161.3 hours"))
  }

  @Test func repeatedFindingsAreCollapsed() {
    let location = SourceLocation(file: "f", line: 1)
    let many = (1...96).map {
      Diagnostic(.readingHigh, at: location, message: "x is \"\($0)\", high", remedy: "check it")
    }
    #expect(
      many.collapsed.map(\.description) == [
        "f:1: warning W_READING_HIGH: 96 like this; the first: x is \"1\", high; check it"
      ])
    #expect(Array(many.prefix(3)).collapsed.count == 3)
    let other = Diagnostic(
      .readingHigh, at: location, message: "y is \"1\", high", remedy: "check it")
    #expect((many + [other]).collapsed.count == 2)
  }

  @Test(arguments: [
    ("Beer", "lager"), ("wine", "white wine"), ("shot", "vodka"), ("vodca", "vodka"),
    ("Bier", "lager"),
    ("wiskey", "whisky"), ("red wein", "red wine"), ("cider", "cider"),
  ])
  func everydayDrinkNamesHaveSuggestions(_ name: String, _ meant: String) {
    let names = DrinkCatalogue.standard.suggestions(for: name).map(\.name)
    #expect(names.contains(meant), "\(names)")
    #expect(names.count <= 4)
  }

  @Test func unknownDrinkNamesHaveNoSuggestion() {
    for name in ["", "nectar", String(repeating: "x", count: 100_000), "\u{0}"] {
      #expect(DrinkCatalogue.standard.suggestions(for: name).isEmpty)
    }
    let sample = StudySample(drinks: "subject,time_min,drink,volume_ml\nann,0,Beer,500\n")
    #expect(sample.findings[0].remedy.hasPrefix("did you mean \"lager\""))
  }
}

/// Doubts about a folder are also raised for a table of events, a document and values in memory.
@Suite struct SamePlausibilityTests {
  private static func folder(
    weight: Double = 80, factor: Double = 1, minutes: Double = 1, drinkAt: Double = 0
  ) -> StudySample {
    var sample = StudySample(
      subjects: "subject,sex,age_y,height_cm,weight_kg\n", drinks: "subject,time_min,ethanol_g\n",
      readings: "subject,time_min,bac_g_per_kg\n")
    for person in ["a", "b", "c", "d"] {
      sample.subjects += "\(person),male,30,180,\(weight)\n"
      sample.drinks += "\(person),\(drinkAt),40\n"
      for (time, value) in [(15.0, 0.3), (30, 0.55), (60, 0.6), (120, 0.47), (180, 0.33)] {
        sample.readings? += "\(person),\(time * minutes),\(value * factor)\n"
      }
    }
    return sample
  }

  @Test(arguments: [
    (folder(weight: 176), DiagnosticCode.weightPounds), (folder(factor: 0.47), .breathAsBlood),
    (folder(factor: 100), .readingScale), (folder(minutes: 1.0 / 60), .timeHours),
    (folder(drinkAt: 100), .readingEarly), (folder(drinkAt: 1200), .time),
  ])
  func doubtsAreTheSameInEveryForm(_ sample: StudySample, _ code: DiagnosticCode) throws {
    let study = try sample.read()
    let codes = { (study: Study) in
      study.allDiagnostics.map(\.code).sorted { $0.rawValue < $1.rawValue }
    }
    let expected = codes(study)
    #expect(expected.contains(code))
    let bare = study.series.map { series in
      Series(subject: series.subject, drinks: series.drinks, readings: series.readings)
    }
    let checked = Study.checked(bare)
    #expect(
      codes(Study(name: "values", series: checked.series, diagnostics: checked.findings))
        == expected)
    let folder = try TemporaryFolder()
    try folder.write(try EventWriter.csv(study), to: "events.csv")
    let events = try StudyReader.read(folder("events.csv"))
    #expect(codes(events) == expected)
  }

  /// Rows that are not in order of time tell nothing.
  @Test func aReadingAtAnInjectionAmongUnsortedRowsIsLeftOut() throws {
    let rows = [
      "1,0,25,.,1", "1,2,25,.,1", "1,0,.,0,0", "1,1,.,0.36,0", "1,2,.,0.21,0", "1,3,.,0.57,0",
    ]
    func read(_ rows: [String]) throws -> Study {
      let folder = try TemporaryFolder()
      try folder.write(
        (["ID,TIME,AMT,DV,EVID,ROUTE,SEX,AGE,HT,WT"] + rows.map { $0 + ",iv,male,30,178,70" })
          .joined(separator: "\n"), to: "events.csv")
      return try StudyReader.read(folder("events.csv"))
    }
    let unsorted = try read(rows)
    #expect(unsorted.allDiagnostics.contains { $0.code == .readingAtDose && $0.location.line == 6 })
    #expect(unsorted.series[0].readings.map(\.isExcluded) == [false, false, true, false])
    let sorted = try read([rows[0], rows[2], rows[3], rows[4], rows[1], rows[5]])
    #expect(!sorted.allDiagnostics.contains { $0.code == .readingAtDose })
  }

  /// In a folder nothing tells which came first.
  @Test func aReadingAtAnInjectionIsLeftOut() throws {
    let sample = StudySample(
      subjects: "subject,sex,age_y,height_cm,weight_kg\n1,male,30,178,70\n",
      drinks: "subject,time_min,route,ethanol_g\n1,0,iv,25\n1,120,iv,25\n",
      readings: "subject,time_min,bac_g_per_kg\n1,0,0\n1,60,0.36\n1,120,0.21\n1,180,0.57\n")
    let found = sample.findings
    #expect(found.map(\.code) == [.readingAtDose])
    #expect(found.first?.location.line == 4)
    let readings = try sample.read().series[0].readings
    #expect(readings.map(\.isExcluded) == [false, false, true, false])
  }
}
