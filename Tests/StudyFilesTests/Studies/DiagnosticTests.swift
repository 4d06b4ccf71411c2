import StudySupport
import Testing

@testable import StudyData
@testable import StudyFiles

@Suite struct DiagnosticTests {
  @Test func isOneLineForCompilersAndPeople() throws {
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

  @Test func codesSayHowBadTheyAre() {
    #expect(DiagnosticCode.doseMissing.severity == .error)
    #expect(DiagnosticCode.timeOrder.severity == .warning)
    #expect(DiagnosticCode.allCases.allSatisfy { "EW".contains($0.rawValue.prefix(1)) })
  }
}
