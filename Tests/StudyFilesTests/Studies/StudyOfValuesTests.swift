import AlcoholKinetics
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// A study of values in memory is checked as files are.
@Suite struct StudyOfValuesTests {
  private static let ann = Subject(
    "ann", sex: .female, age: .years(31), height: .metres(1.68), weight: .kilograms(60))

  private func readings(
    _ values: [(minutes: Double, value: Double)] = [(30, 0.3), (60, 0.5), (120, 0.4), (180, 0.2)]
  ) -> [Reading] {
    values.map { Reading($0.value, .bloodGramsPerKilogram, at: .minutes($0.minutes)) }
  }

  private func study(
    _ readings: [Reading], of subject: Subject = ann,
    drinks: [Drink] = [Drink(.grams(30), at: .minutes(0))]
  ) throws(StudyError) -> Study {
    try Study(of: [Series(subject: subject, drinks: drinks, readings: readings)], name: "pilot")
  }

  @Test func statedUnitsAreConverted() {
    #expect(Stated<HourUnit>.minutes(30).quantity == 0.5)
    #expect(Stated<HourUnit>.hours(2).quantity == 2)
    #expect(Self.ann.height == 1.68 && Subject("a", height: .centimetres(168)).height == 1.68)
    let beer = Drink(.millilitres(500, abvPercent: 5), at: .minutes(30), over: .minutes(15))
    #expect(beer.duration == 0.25 && beer.ethanol == .mass(Grams(500 * 0.05 * 0.789)))
    #expect(EthanolDose.gramsPerKilogram(0.5) == .perBodyWeight(0.5))
  }

  @Test func readingsOutOfOrderAreSorted() throws {
    let sound = try study(readings())
    #expect(sound.allDiagnostics.isEmpty)
    let other = try study(readings([(120, 0.4), (30, 0.3), (180, 0.2), (60, 0.5)]))
    #expect(other == sound)
  }

  @Test(arguments: [
    (-0.1, DiagnosticCode.range), (.nan, .number), (.infinity, .number),
  ])
  func impossibleReadingsAreRefused(_ value: Double, _ code: DiagnosticCode) throws {
    let error = try #require(throws: StudyError.self) {
      try study(readings([(120, 0.3), (60, value), (180, 0.2)]))
    }
    #expect(error.kind == .badData && error.diagnostics.map(\.code) == [code])
    // The second that was given, not the first in order of time.
    #expect(error.diagnostics[0].message.contains("reading 2"))
    #expect(error.diagnostics[0].location.file == "subject \"ann\"")
  }

  @Test func otherImpossibleValuesAreRefused() {
    func codes(_ make: () throws -> Study) -> Set<DiagnosticCode> {
      do {
        return Set(try make().allDiagnostics.map(\.code))
      } catch {
        return Set((error as? StudyError)?.diagnostics.map(\.code) ?? [])
      }
    }
    #expect(
      codes { try study(readings(), of: Subject("a", height: .metres(168))) } == [.range])
    #expect(codes { try study(readings(), drinks: []) } == [.doseMissing])
    #expect(
      codes { try study(readings(), drinks: [Drink(.grams(-1), at: .minutes(0))]) }
        == [.range])
    let series = Series(
      subject: Self.ann, drinks: [Drink(.grams(30), at: .minutes(0))], readings: readings())
    #expect(codes { try Study(of: [series, series], name: "twice") } == [.duplicate])
  }

  /// Files, tables of events, documents and memory: the same doubts.
  @Test func doubtsAreTheSameFromEverySource() throws {
    var sample = StudySample()
    sample.subjects += "bob,male,40,180,\ncem,male,40,180,80\ndan,male,40,180,80\n"
    sample.drinks += "bob,0,40\ncem,60,40\ndan,0,40\n"
    sample.readings = """
      subject,time_min,bac_g_per_kg
      ann,30,8
      ann,60,12
      bob,30,0.5
      bob,30,0.5
      cem,10,0.5
      cem,2000,0.4
      dan,1,0.1
      dan,2,0.2
      dan,3,0.3
      dan,4,0.4

      """
    let ofFiles = try sample.read()
    let bare = ofFiles.series.map {
      Series(subject: $0.subject, drinks: $0.drinks, readings: $0.readings)
    }
    let codes = { (study: Study) in study.series.map { Set($0.diagnostics.map(\.code)) } }
    let expected: [Set<DiagnosticCode>] = [
      [.readingHigh, .readingScale], [.weightMissing, .repeatedReading],
      [.readingEarly, .timeGap], [.timeHours],
    ]
    #expect(codes(ofFiles) == expected)
    #expect(codes(try Study(of: bare, name: "")) == expected)
    let events = try EventSample(EventWriter.csv(Study(name: "", series: bare))).read()
    #expect(codes(events) == expected)
  }

  /// Messages about values in memory name no file, column or command.
  @Test func messagesDoNotMentionFiles() throws {
    let odd = try Study(
      of: [
        Series(
          subject: Subject("ann"), drinks: [Drink(.grams(40), at: .minutes(60))],
          readings: readings([(1, 0.3), (2, 12), (3, 0.5), (3, 0.5), (3000, 0.2)])),
        Series(
          subject: Subject("bob"), drinks: [Drink(.grams(40), at: .minutes(60))], readings: []),
      ], name: "odd")
    #expect(odd.allDiagnostics.count > 5)
    for finding in odd.allDiagnostics {
      let text = "\(finding)"
      #expect(
        [".csv", "time_min", "--", "file", "line", "column", "promille", "import"]
          .allSatisfy { !text.contains($0) }, "\(text)")
    }
  }
}
