import AlcoholKinetics
import StudyData
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyFiles

/// Reading of tables of predictions.
@Suite struct PredictionTableTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func series(_ subject: String, occasion: String? = nil) -> Series {
    Series(subject: Subject(id: subject), occasion: occasion, drinks: [], readings: [])
  }

  private func table(_ text: String, _ map: String? = nil) throws -> PredictionTable {
    try folder.write(text, to: "app.csv")
    return try PredictionTable(
      folder("app.csv"), model: "app", map: try map.map { try ColumnMap($0) } ?? .empty)
  }

  private func curve(_ prediction: GivenPrediction) throws -> GivenCurve {
    guard case .curve(let curve) = prediction.content else {
      throw Failure(content: prediction.content)
    }
    return curve
  }

  private struct Failure: Error { let content: GivenPrediction.Content }

  private func refusal(_ text: String) throws -> [String] {
    do {
      _ = try table(text)
      return []
    } catch let error as StudyError {
      return error.diagnostics.map(\.code.rawValue)
    }
  }

  @Test(arguments: [
    "subject,time_min,bac_g_per_l\na,0,0.9\na,60,0.3\n",
    "Subject,Time (h),BAC (g/L)\na,0,0.9\na,1,0.3\n",
    "Proband;Zeit (min);Blutalkohol (g/l)\na;0;0,9\na;60;0,3\n",
    "participant,elapsed time (min),predicted_bac_g_per_l\na,60,0.3\na,0,0.9\n",
    "My app of May\nsubject,time_min,bac_g_per_l\na,0,0.9\na,60,0.3\na,,\n",
  ])
  func curveWithSheetHeadersIsRead(_ text: String) throws {
    let curve = try curve(try table(text).prediction(of: series("a")))
    #expect(curve.times.map(\.minutes) == [0, 60])
    #expect(curve.values == [0.9, 0.3] && curve.unit == .bloodGramsPerLitre)
    #expect(curve.low == nil)
  }

  @Test func mapNamesColumnsWithoutUnit() throws {
    let text = "Person,Time,BAC\na,0,90\na,1,30\n"
    #expect(try refusal(text) == ["E_COLUMN_UNIT", "E_COLUMN_UNIT"])
    let curve = try curve(
      try table(text, "Time=time_h,BAC=bac_mg_per_100ml").prediction(of: series("a")))
    #expect(
      curve.times.map(\.minutes) == [0, 60] && curve.unit == .bloodMilligramsPer100Millilitres)
  }

  @Test(arguments: ["low,high", "lower 90 %,upper 90 %", "untere Grenze,obere Grenze", "lwr,upr"])
  func curveLimitsAreRead(_ limits: String) throws {
    let table = try table(
      "subject,time_min,bac_g_per_kg,\(limits)\na,0,0.5,0.4,0.7\na,60,0.2,0.1,0.3\n")
    let prediction = try table.prediction(of: series("a"))
    let curve = try curve(prediction)
    #expect(curve.low == [0.4, 0.1] && curve.high == [0.7, 0.3] && prediction.level == 0.9)
  }

  @Test func limitsHaveTheLevelThatTheirHeadersState() throws {
    let table = try table("subject,sober_min,low_95_min,high_95_min\na,300,200,400\n")
    let prediction = try table.prediction(of: series("a"))
    #expect(prediction.level == 0.95)
    guard case .times(let times) = prediction.content else {
      throw Failure(content: prediction.content)
    }
    #expect(times.map(\.low?.minutes) == [200] && times.map(\.high?.minutes) == [400])
  }

  @Test func standardDeviationMakesLimits() throws {
    let table = try table("subject,time_min,bac_g_per_kg,sd\na,0,0.5,0.1\n")
    let curve = try curve(try table.prediction(of: series("a")))
    #expect(abs((curve.high?.first ?? 0) - 0.6644853626951472) < 1e-15)
  }

  @Test(arguments: [
    ("subject,predicted_sober_min\na,120\n", 120.0), ("Person,nüchtern (h)\na,2\n", 120),
    ("subject,time to sobriety (min)\na,120\n", 120), ("id,sober_h\na,2\n", 120),
    ("Subject,Hours to sober\na,2\n", 120),
  ])
  func timesWithSheetHeadersAreRead(_ text: String, _ minutes: Double) throws {
    let content = try table(text).prediction(of: series("a")).content
    guard case .times(let times) = content else { throw Failure(content: content) }
    #expect(times.map(\.time.minutes) == [minutes])
  }

  /// A time of day is the first after the first drink; dates are counted from its date.
  @Test(arguments: [
    ("19:10", 10.0), ("19:00", 0), ("00:40", 340), ("18:59", 1439), ("12:40 am", 340),
    ("0.5", 1020), ("2026-11-22 00:40", 340), ("22.11.2026 00:40", 340), ("21/11/2026 20:00", 60),
  ])
  func timesOfDayCountFromTheFirstDrink(_ text: String, _ minutes: Double) throws {
    try folder.write("Subject,Sober at\na,\(text)\n", to: "app.csv")
    let day = try #require(CivilDate.day(2026, 11, 21))
    for start in [
      ClockedStart(1140, isDated: false), ClockedStart(Double(day) * 1440 + 1140, isDated: true),
    ] where text.utf8.count <= 8 || start != ClockedStart(1140, isDated: false) {
      let table = try PredictionTable(
        folder("app.csv"), model: "app", map: try ColumnMap("Sober at=sober_time"),
        starts: [SeriesKey(subject: "a", occasion: nil): start])
      guard case .times(let times) = try table.prediction(of: series("a")).content else {
        Issue.record("no times")
        return
      }
      #expect(times.map { $0.time.minutes.rounded() } == [minutes])
    }
  }

  /// Clocks went back at 3:00 on 25 October 2026 in Berlin.
  @Test func changedClocksCount() throws {
    let day = try #require(CivilDate.day(2026, 10, 24))
    let zone = try #require(ClockZone("Europe/Berlin"))
    let start = ClockedStart(Double(day) * 1440 + 22 * 60, isDated: true, zone: zone)
    #expect(try #require(start.elapsed(untilNext: 240)) == 420)
  }

  @Test func timesOfDayNeedAClock() throws {
    let table = try table("subject,sober_time\na,00:40\n")
    guard case .unusable(let finding) = try table.prediction(of: series("a")).content else {
      Issue.record("usable")
      return
    }
    #expect(finding.code == .time && finding.remedy.contains("sober_min"))
    let unnamed = try self.table("subject,sober_min\na,00:40\n")
    guard case .unusable(let number) = try unnamed.prediction(of: series("a")).content else {
      Issue.record("usable")
      return
    }
    #expect(number.remedy.contains("sober_time"))
    #expect(try refusal("subject,Sober at\na,00:40\n") == ["E_COLUMN_UNIT"])
  }

  @Test(arguments: [
    ("subject,time_min,bac_g_per_kg\na,0,0.5\na,0,0.5\n", "E_DUPLICATE"),
    ("subject,time_min,bac_g_per_kg\na,0,nan\n", "E_NUMBER"),
    ("subject,time_min,bac_g_per_kg\na,,0.3\n", "E_TIME"),
    ("subject,time_min,bac_g_per_kg\na,0,0.3,4\n", "E_CSV"),
    ("subject,time_min,bac_g_per_kg,low,high\na,0,0.3,0.4,0.5\n", "E_PREDICTION"),
    ("subject,time_min,bac_g_per_kg,sd\na,0,0.3,-1\n", "E_PREDICTION"),
    ("subject,sober_min\na,-3\n", "E_RANGE"),
    ("subject,sober_min,threshold_g_per_kg\na,300,0.1\na,200,0.05\n", "E_PREDICTION"),
    ("subject,sober_min,threshold_g_per_kg\na,300,0.1\na,200,0.1\n", "E_DUPLICATE"),
  ])
  func seriesWithAnInvalidRowIsUnusable(_ text: String, _ code: String) throws {
    let table = try table(text + text.split(separator: "\n")[1].replacing("a,", with: "b,") + "\n")
    let content = try table.prediction(of: series("a")).content
    guard case .unusable(let finding) = content else { throw Failure(content: content) }
    #expect(finding.code.rawValue == code && finding.location.line != nil)
    #expect(try table.findings().contains(finding))
  }

  @Test(arguments: [
    ("", "E_EMPTY_FILE"), ("time_min,bac_g_per_kg\n0,1\n", "E_COLUMN_MISSING"),
    ("subject,bac_g_per_kg\na,1\n", "E_COLUMN_MISSING"),
    ("subject,time_min\na,1\n", "E_COLUMN_MISSING"),
    ("subject,time_min,bac_g_per_kg,bac_g_per_l\na,1,1,1\n", "E_COLUMN_AMBIGUOUS"),
    ("subject,time_min,bac_g_per_kg,sober_min\na,1,1,1\n", "E_COLUMN_AMBIGUOUS"),
    ("subject,time_min,bac_g_per_kg\n\"a,0,1\n", "E_CSV"),
  ])
  func invalidTableIsRefused(_ text: String, _ code: String) throws {
    #expect(try refusal(text) == [code])
  }

  @Test func unknownSubjectsAreListed() throws {
    let table = try table("subject,occasion,sober_min\na,1,9\na,2,9\nz,1,9\n,1,9\nb,1,\n")
    for name in ["a", "b"] { _ = try table.prediction(of: series(name, occasion: "1")) }
    let findings = try table.findings()
    let unknown = try #require(findings.first { $0.code == .predictionUnknown })
    #expect(unknown.message == "2 names do not belong to the study: \"a, occasion 2\", \"z\"")
    #expect(Set(findings.map(\.code)) == [.subject, .predictionUnknown, .rowsLeftOut])
  }

  @Test func occasionsNeedAColumn() throws {
    let table = try table("subject,sober_min\na,9\n")
    #expect(throws: StudyError.self) {
      try table.prediction(of: series("a", occasion: "1"))
    }
  }

  /// Every series gets the same predictions for any order of rows and subjects.
  @Test func rowOrderIsIgnored() throws {
    var random = SeededGenerator(seed: 3)
    let names = (0..<12).map { "s\($0)" }
    let rows = names.flatMap { name in (0..<5).map { "\(name),\(10 * $0),0.\($0 + 1)" } }
    let header = "subject,time_min,bac_g_per_kg\n"
    var expected: [String: GivenPrediction] = [:]
    for order in 0..<20 {
      let shuffled = order == 0 ? rows : rows.shuffled(using: &random)
      let table = try table(header + shuffled.joined(separator: "\n") + "\n")
      for name in order == 0 ? names : names.shuffled(using: &random) {
        let prediction = try table.prediction(of: series(name))
        if order == 0 { expected[name] = prediction }
        #expect(prediction == expected[name], "\(name) in order \(order)")
      }
      #expect(try table.findings().isEmpty)
    }
  }
}
