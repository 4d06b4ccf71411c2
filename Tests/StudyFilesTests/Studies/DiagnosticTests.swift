import AlcoholKinetics
import Foundation
import StudySupport
import Testing

@testable import StudyData
@testable import StudyFiles

@Suite struct DiagnosticTests {
  @Test func descriptionIsOneLine() throws {
    let sample = StudySample(readings: "subject,time_min,bac_g_per_kg\nann,5,0..5\n")
    #expect(
      sample.findings.first?.description == """
        study/readings.csv:2:7: error E_NUMBER: bac_g_per_kg is "0..5", which is not a number; \
        write a plain number such as 0.45, or <0.05 if it is below 0.05; leave it empty where nothing was measured
        """)
  }

  @Test(arguments: [
    ("plain", "plain"), ("a\nb\r\t", "a\\nb\\r\\t"), ("\u{1B}[31m", "\\u{1b}[31m"),
    ("gr\u{FC}n \u{1F377}", "gr\u{FC}n \u{1F377}"), ("1\u{A0}000\u{200B}", "1\\u{a0}000\\u{200b}"),
    (String(repeating: "x", count: 40), String(repeating: "x", count: 40)),
    (String(repeating: "x", count: 41), String(repeating: "x", count: 40) + "..."),
  ])
  func excerptsAreSafeToPrint(text: String, excerpt: String) {
    #expect(text.excerpt() == excerpt)
  }

  /// Findings are collapsed only if they are about the same thing, not for a common code.
  @Test func onlyFindingsOfTheSameThingAreCollapsed() throws {
    let rows = (1...5).map { "ann,\($0),-\($0),-0.\($0)\n" } + ["ann,9,<0,\n", "ann,1e9,1,\n"]
    let sample = StudySample(
      readings: "subject,time_min,bac_g_per_kg,lod\n" + rows.joined() + "ann,10,inf,\nann,11,x,\n")
    #expect(sample.findings.count { $0.code == .range } == 12)
    let told = sample.findings.filter { [.range, .number].contains($0.code) }.collapsed.map(
      \.message)
    #expect(
      told == [
        "5 like this; the first: lod is \"-0.1\", which is negative",
        "5 like this; the first: bac_g_per_kg is \"-1\", which is negative",
        "bac_g_per_kg is \"<0\", but a limit of detection must be above 0",
        "time_min is \"1e9\", which is longer than a million minutes",
        "bac_g_per_kg is \"inf\", which is not a finite number",
        "bac_g_per_kg is \"x\", which is not a number",
      ])
    let readings = (1...4).map {
      Reading(-1, .bloodGramsPerKilogram, at: .minutes(Double($0)), limitOfDetection: -1)
    }
    let series = Series(subject: Subject(id: "ann"), drinks: [], readings: readings)
    #expect(
      series.valueErrors.collapsed.map(\.message) == [
        "4 like this; the first: the value of reading 1 is -1.0",
        "4 like this; the first: the limit of detection of reading 1 is -1.0",
      ])
  }

  @Test func codesOfEarlierVersionsAreDecoded() throws {
    let json = Data(#"["E_DOSE_NEGATIVE", "E_RANGE", "W_TIME_ORDER"]"#.utf8)
    #expect(
      try JSONDecoder().decode([DiagnosticCode].self, from: json) == [.range, .range, .timeOrder])
    #expect(try JSONEncoder().encode([DiagnosticCode.range]) == Data(#"["E_RANGE"]"#.utf8))
    let unknown = Data(#"["E_RANGES"]"#.utf8)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([DiagnosticCode].self, from: unknown)
    }
  }

  @Test func codesHaveASeverity() {
    #expect(DiagnosticCode.doseMissing.severity == .error)
    #expect(DiagnosticCode.timeOrder.severity == .warning)
    #expect(DiagnosticCode.allCases.allSatisfy { "EW".contains($0.rawValue.prefix(1)) })
  }
}
