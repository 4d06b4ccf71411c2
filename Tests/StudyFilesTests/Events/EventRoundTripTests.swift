import AlcoholKinetics
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// A study that is written as a table of events is read back unchanged.
@Suite struct EventRoundTripTests {
  @Test(arguments: 0..<40)
  func writtenEventsAreReadBack(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let series = Self.series(using: &generator)
    let text = try EventWriter.csv(Study(name: "", series: series))
    let study = try EventSample(text).read()
    #expect(study.series.map(\.withoutFindings) == series)
    let errors = study.allDiagnostics.filter { $0.severity == .error }
    #expect(errors.allSatisfy { $0.code == .doseMissing }, "\(errors)")
  }

  @Test(arguments: ["Amt", "AGE_Y", "wt", " id", "", "C"])
  func refusesCovariatesNamedLikeColumns(_ name: String) {
    let subject = Subject(id: "ann", covariates: [name: "3"])
    let study = Study(name: "", series: [Series(subject: subject, drinks: [], readings: [])])
    #expect(throws: Problem.covariateName(name)) { try EventWriter.csv(study) }
  }

  @Test(arguments: ["", ".", "NA", " NA "])
  func refusesInvalidNames(_ name: String) {
    let subjects = [Subject(id: name), Subject(id: "ann")]
    for (subject, occasion) in zip(subjects, [nil, name]) {
      let series = Series(subject: subject, occasion: occasion, drinks: [], readings: [])
      let study = Study(name: "", series: [series])
      #expect(throws: Problem.nameMeansMissing(name)) { try EventWriter.csv(study) }
      #expect(throws: Problem.nameMeansMissing(name)) { try StudyWriter.files(of: study) }
    }
  }

  @Test func eventTableMatchesNONMEMsForm() throws {
    let series = Series(
      subject: Subject(id: "1", sex: .male, age: 30, height: 1.8, weight: 80.5),
      drinks: [Drink(time: 0, duration: 0.25, ethanol: .mass(20))],
      readings: [
        Reading(time: 0, value: 0, unit: .bloodGramsPerKilogram),
        Reading(
          time: 0.5, value: 0.01, unit: .bloodGramsPerKilogram, limitOfDetection: 0.02),
      ])
    #expect(
      try EventWriter.csv(Study(name: "", series: [series])) == """
        ID,TIME,AMT,RATE,DUR,DV,EVID,MDV,CENS,LIMIT,SEX,AGE,HT,WT
        1,0,.,.,.,0,0,0,0,.,male,30,180,80.5
        1,0,20,80,0.25,.,1,1,0,.,male,30,180,80.5
        1,0.5,.,.,.,0.02,0,0,1,0.01,male,30,180,80.5

        """)
  }

  /// A dose into the blood keeps its route, in events as in drinks.csv; others need no column.
  @Test func routeSurvivesRoundTrip() throws {
    let drinks = [
      Drink(time: 0, duration: 0.5, ethanol: .perBodyWeight(0.4), route: .intravenous),
      Drink(time: 1, ethanol: .mass(20)),
    ]
    let series = Series(
      subject: Subject(id: "ann", weight: 70), drinks: drinks,
      readings: [Reading(time: 2, value: 0.3, unit: .bloodGramsPerKilogram)])
    let study = Study(name: "", series: [series])
    let events = try EventWriter.csv(study)
    #expect(events.contains("ROUTE") && events.contains(",iv,"))
    #expect(try EventSample(events).read().series.first?.drinks == drinks)
    let files = try StudyWriter.files(of: study)
    #expect(files[1].text.contains("ethanol_g_per_kg,route\n"))

    let wrong = EventSample("ID,TIME,AMT,DV,ROUTE\nann,0,20,.,vein\nann,1,.,0.3,.\n").findings
    #expect(wrong.contains { $0.code == .word && $0.message.contains("neither oral nor iv") })
  }

  // MARK: Studies at random

  private static func series(using generator: inout SeededGenerator) -> [Series] {
    let hasCovariates = Bool.random(using: &generator)
    return (0..<Int.random(in: 1...12, using: &generator)).flatMap { index -> [Series] in
      let subject = subject(index, hasCovariates, using: &generator)
      let occasions: [String?] =
        Bool.random(using: &generator) ? [nil] : ["first", "2", "a \"b\", c"]
      return occasions.map { occasion in
        identified(
          Series(
            subject: subject, occasion: occasion, drinks: drinks(using: &generator),
            readings: readings(using: &generator)),
          using: &generator)
      }
    }
  }

  /// Some studies give UUIDs, to some of their records, and sources of readings.
  private static func identified(
    _ series: Series, using generator: inout SeededGenerator
  ) -> Series {
    var series = series
    series.uuids = GivenUUIDs(
      drinks: series.drinks.map { _ in generator.maybeUUID() },
      readings: series.readings.map { _ in generator.maybeUUID() })
    for index in series.readings.indices where Int.random(in: 0..<4, using: &generator) == 0 {
      series.sources[index] = "overdue, \"AL\" \(index)"
    }
    return series
  }

  private static func subject(
    _ index: Int, _ hasCovariates: Bool, using generator: inout SeededGenerator
  ) -> Subject {
    let names = ["s;", "\u{FC},", "\"", "x\ny", ""]
    let starts = ["", "", "#", "@", "C"]
    let number = { (range: ClosedRange<Double>, generator: inout SeededGenerator) -> Double? in
      Bool.random(using: &generator) ? Double.random(in: range, using: &generator) : nil
    }
    return Subject(
      id: (starts.randomElement(using: &generator) ?? "") + "\(index)"
        + (names.randomElement(using: &generator) ?? ""),
      sex: [.male, .female, nil].randomElement(using: &generator) ?? nil,
      age: number(0...130, &generator).map { Years($0) },
      height: number(50...260, &generator).map { Metres(centimetres: $0) },
      weight: number(20...400, &generator).map { Kilograms($0) },
      covariates: hasCovariates ? ["site": "a\(index), b", "Diet;2": ".", "n": ""] : [:])
  }

  private static func drinks(using generator: inout SeededGenerator) -> [Drink] {
    (0..<Int.random(in: 0...4, using: &generator)).map { _ in
      let amount = Double.random(in: 0...5, using: &generator)
      return Drink(
        time: time(using: &generator),
        duration: Bool.random(using: &generator)
          ? 0 : Hours(Double.random(in: 0...3, using: &generator)),
        ethanol: Bool.random(using: &generator)
          ? .mass(Grams(amount * 10)) : .perBodyWeight(GramsPerKilogram(amount)))
    }.sorted { $0.time < $1.time }
  }

  private static func readings(using generator: inout SeededGenerator) -> [Reading] {
    // Whole hours come twice now and then, as where two samples are taken at once.
    let times = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
      time(using: &generator)
    }
    return times.sorted().map { time in
      let isExcluded = Int.random(in: 0...3, using: &generator) == 0
      return Reading(
        time: time,
        value: Double.random(in: (isExcluded ? -1 : 0)...0.5, using: &generator),
        unit: ConcentrationUnit.allCases.randomElement(using: &generator)
          ?? .bloodGramsPerKilogram,
        limitOfDetection: Bool.random(using: &generator)
          ? nil : Double.random(in: 0...0.3, using: &generator),
        isExcluded: isExcluded)
    }
  }

  private static func time(using generator: inout SeededGenerator) -> Hours {
    Bool.random(using: &generator)
      ? Hours(Double(Int.random(in: -2...6, using: &generator)))
      : Hours(Double.random(in: -2...9, using: &generator))
  }
}

extension Series {
  /// The series without findings, which are not written.
  fileprivate var withoutFindings: Series {
    var series = self
    series.diagnostics = []
    return series
  }
}
