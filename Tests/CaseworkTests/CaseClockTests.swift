import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@testable import Casework

/// Cases in nights in which clocks are changed.
@Suite struct CaseClockTests {
  private func hours(_ start: String, _ end: String, in zone: String? = nil) throws -> Double {
    let clock = try CaseClock(timeZone: zone, times: [start, end])
    return try (clock.hours(end) - clock.hours(start)).value
  }

  /// From 23:30 to 04:30 are 5 h, but in the nights in which clocks are changed.
  @Test(arguments: [
    ("2024-03-30 23:30", "2024-03-31 04:30", "Europe/Berlin", 4.0),
    ("2024-10-26 23:30", "2024-10-27 04:30", "Europe/Berlin", 6),
    ("2024-03-09 23:30", "2024-03-10 04:30", "Europe/Berlin", 5),
    ("2024-03-09 23:30", "2024-03-10 04:30", "America/New_York", 4),
    ("2024-11-02 23:30", "2024-11-03 04:30", "America/New_York", 6),
    ("2024-10-05 23:30", "2024-10-06 04:30", "Australia/Lord_Howe", 4.5),
    ("2024-09-07 23:30", "2024-09-08 04:30", "America/Santiago", 4),
    ("2024-04-06 22:30", "2024-04-07 03:30", "America/Santiago", 6),
    ("1900-01-01 23:30", "1900-01-02 04:30", "Europe/Berlin", 5),
    ("9999-12-30 23:30", "9999-12-31 04:30", "Europe/Berlin", 5),
  ])
  func hoursBetweenTimesAreElapsedHours(
    _ start: String, _ end: String, _ zone: String, _ hours: Double
  )
    throws
  {
    #expect(agree(try self.hours(start, end, in: zone), hours))
    #expect(agree(try self.hours(start, end), 5), "as if clocks were never changed")
  }

  @Test func hoursFollowFromUTCOffsets() throws {
    #expect(agree(try hours("2024-03-30 23:30+01:00", "2024-03-31T04:30+02:00"), 4))
    #expect(agree(try hours("2024-03-30 22:30Z", "2024-03-31 04:30+0200"), 4))
    let clock = try CaseClock(
      timeZone: "Europe/Berlin", times: ["2024-10-27 02:30+02:00", "2024-10-27 02:30+01:00"])
    #expect(
      agree(
        try (clock.hours("2024-10-27 02:30+01:00") - clock.hours("2024-10-27 02:30+02:00")).value, 1
      ))
  }

  /// Times that are shown are read back unchanged, in every zone and at every hour about a change.
  @Test(arguments: [
    ("Europe/Berlin", "2024-03-30"), ("Europe/Berlin", "2024-10-26"),
    ("Australia/Lord_Howe", "2024-04-06"), ("America/Santiago", "2024-09-07"),
    ("Africa/Cairo", "2024-04-25"), ("Asia/Beirut", "2024-03-30"), ("Pacific/Apia", "2011-12-28"),
  ])
  func shownTimesAreReadBack(_ zone: String, _ date: String) throws {
    let clock = try CaseClock(date: date, timeZone: zone, times: [])
    for quarter in 0..<(4 * 60) {
      let time = Hours(Double(quarter) / 4)
      let text = clock.text(time)
      #expect(text.count > 20, "the distance from UTC stands there")
      #expect(agree(try clock.hours(text).value, time.value, within: 1e-9))
    }
  }

  /// Both readings are named, each in a form that is understood.
  @Test(arguments: [
    ("2024-03-31 02:30", "does not exist", "02:30+01:00 if 2024-03-31 03:30+02:00 is meant"),
    ("2024-10-27 02:30", "comes twice", "02:30+02:00 for the first time or 2024-10-27 02:30+01:00"),
    ("2024-03-31 12:00+01:00", "are +02:00 from UTC", "leave it out"),
    ("2024-07-01 12:00-05:00", "are +02:00 from UTC", "leave out the time zone"),
  ])
  func refusesSkippedAndRepeatedTimesWithoutOffset(
    _ text: String, _ found: String, _ advice: String
  ) throws {
    let clock = try CaseClock(timeZone: "Europe/Berlin", times: [text])
    let failure = #expect(throws: Problem.self) { try clock.hours(text) }
    #expect(failure?.code == "E_CASE_INPUT")
    #expect(failure?.description.contains(found) == true, "\(failure?.description ?? "")")
    #expect(failure?.description.contains(advice) == true, "\(failure?.description ?? "")")
    guard !text.contains("+"), !text.contains("-05") else { return }
    for offset in ["+01:00", "+02:00"] { _ = try clock.hours(text + offset) }
    #expect(throws: Problem.self) { try clock.hours(text + "+03:00") }
  }

  @Test func refusesIncompleteDatesAndZones() {
    for (zone, times) in [
      ("Europe/Berlin", ["22:00", "01:00+1"]),
      (nil, ["2024-03-31 01:00+01:00", "2024-03-31 04:00"]),
      (nil, ["23:00+01:00", "23:30"]), ("", ["2024-03-31 01:00"]), ("BST", ["2024-03-31 01:00"]),
    ] as [(String?, [String])] {
      #expect(throws: Problem.self) {
        let clock = try CaseClock(timeZone: zone, times: times)
        for time in times { _ = try clock.hours(time) }
      }
    }
  }

  /// A case without a zone has a warning if clocks are changed between its times, those of answers included.
  @Test(arguments: [
    ("2024-03-30", true), ("2024-10-26", true), ("2024-03-09", true), ("2024-11-02", true),
    ("2024-04-06", true), ("2024-03-16", false), ("2024-06-29", false), ("1970-01-01", false),
  ])
  func warnsOfClocksThatMayBeChanged(_ date: String, _ isChanged: Bool) throws {
    for question in [CaseQuestion.back, .sober] {
      var one = try Example.one(
        question, at: question == .back ? 25 : nil,
        measured: Example.blood(0.8, at: question == .back ? 28.5 : 22),
        ended: 20)
      one.clock = try CaseClock(date: date)
      let codes = try CaseAnswer(one).warnings.map(\.code)
      #expect(codes.contains("W_TIME_CLOCKS") == isChanged, "\(question)")
      one.clock = try CaseClock(date: date, timeZone: "Europe/Berlin")
      #expect(try !CaseAnswer(one).warnings.map(\.code).contains("W_TIME_CLOCKS"))
    }
    #expect(try CaseClock().changes(from: 0, to: 24).isEmpty)
  }

  /// 152 mg/100 ml would be three hours back, of which one never was.
  @Test func skippedHourIsNotCountedGoingBack() throws {
    let file = """
      {"question": "back", "person": {"sex": "male"}, "at": "2024-03-31 01:00", "time_zone": "Europe/Berlin",
       "drinking": {"ended": "2024-03-30 22:00"},
       "measurement": {"time": "2024-03-31 04:00", "value": 95, "unit": "bac_mg_per_100ml"}}
      """
    let answer = try CaseAnswer(Case(json: Data(file.utf8), path: "case.json"))
    #expect(agree(answer.main.likeliest, 133) && agree(answer.main.high, 153))
    #expect(answer.warnings.isEmpty)
    let anywhere = file.replacing(#", "time_zone": "Europe/Berlin""#, with: "")
    let other = try CaseAnswer(Case(json: Data(anywhere.utf8), path: "case.json"))
    #expect(agree(other.main.likeliest, 152))
  }
}

/// Several samples of one measurement.
@Suite struct CaseSampleTests {
  private func back(_ values: [Double], sd: Double = 0, limit: Double = 0.05) throws -> CaseAnswer {
    var one = try Example.one(.back, at: 22, ended: 19, unit: .bloodMilligramsPer100Millilitres) {
      $0.beta = nil
    }
    one.measurement = CaseMeasurement(
      time: 24, values: values, sd: sd, unit: .bloodMilligramsPer100Millilitres,
      duplicateLimit: limit)
    return try CaseAnswer(one)
  }

  @Test func severalSamplesCountByTheirMean() throws {
    #expect(agree(try back([95, 97]).main.likeliest, 96 + 38))
    // Two standard deviations of the mean of four, which is half of one's.
    let four = try back([95, 97, 96, 96], sd: 2)
    #expect(agree(four.main.low, 96 - 2 + 18) && agree(four.main.high, 96 + 2 + 58))
  }

  /// 5 % of the mean, or what the laboratory has.
  @Test func samplesThatDifferTooMuchAreRefused() throws {
    #expect(throws: Never.self) { try back([97.5, 102.5]) }
    for (values, limit) in [([97.4, 102.6], 0.05), ([95, 97], 0.01), ([0, 100], 0.5)] {
      let failure = #expect(throws: Problem.self) { try back(values, limit: limit) }
      #expect(failure?.code == "E_CASE_INPUT")
    }
    #expect(throws: Never.self) { try back([90, 100], limit: 0.12) }
    for values in [[], [95, -95], [95, .nan], Array(repeating: 95, count: 21)] {
      let failure = #expect(throws: Problem.self) { try back(values) }
      #expect(failure?.code == "E_CASE_INPUT")
    }
  }
}

/// Rules of courts, by hand: 0.8 g/kg and 3 h.
@Suite struct CaseGuidelineTests {
  private func back(
    _ guideline: CaseGuideline, at: Hours = 22, ended: Hours? = 19,
    _ change: (inout Case) -> Void = { _ in }
  ) throws -> CaseAnswer {
    var one = try Example.one(.back, at: at, measured: Example.blood(0.8, at: 25), ended: ended) {
      ($0.beta, $0.guideline, $0.absorbedAfter) = (nil, guideline, guideline.absorbedAfter)
    }
    change(&one)
    return try CaseAnswer(one)
  }

  @Test func guidelinesMatchTheirTexts() throws {
    let least = try back(.germanLeast)
    #expect(agree(least.main.likeliest, 1.1) && least.main.low == least.main.high)
    let most = try back(.germanMost, ended: nil)
    #expect(agree(most.main.likeliest, 0.8 + 0.6 + 0.2) && most.warnings.isEmpty)
    #expect(agree(most.sums.first?.result, 1.6, within: 1e-12))
    #expect(least.measuredCoverage == nil)
    // From the first hour on; within two hours of the end of drinking the other rule gives nothing.
    #expect(throws: Never.self) { try back(.germanMost, at: 20) }
    // By the one an event before that is counted to two hours after: 0.8 + 4 h x 0.1.
    #expect(agree(try back(.germanLeast, at: 20).main.likeliest, 1.2))
  }

  @Test func guidelinesRefuseOtherAssumptions() {
    let changes: [(inout Case) -> Void] = [
      { $0.assumptions.beta = .exactly(0.15) }, { $0.assumptions.betaPopulation = .drivers },
      { $0.assumptions.absorbedAfter = 1 }, { $0.measurement?.sd = 0.02 },
      { $0.unit = .breathMilligramsPerLitre }, { $0.question = .drinks },
      { $0.drinkingEnded = nil },
    ]
    for change in changes {
      #expect(throws: Problem.self) { try back(.germanLeast, change) }
    }
  }
}

/// Sums that come to the answer.
@Suite struct CaseSumTests {
  @Test func backAnswerHasASum() throws {
    let one = try Example.one(
      .back, at: 22,
      measured: CaseMeasurement(time: 24, value: 95, unit: .bloodMilligramsPer100Millilitres),
      ended: 19, unit: .bloodMilligramsPer100Millilitres
    ) { $0.beta = nil }
    let sums = try CaseAnswer(one).sums
    #expect(sums.count == 3)
    for (sum, rate) in zip(sums, [19.0, 9, 29]) {
      #expect(zip(sum.terms, [95, 2, rate, 0]).allSatisfy { agree($0, $1) })
      #expect(agree(sum.result, 95 + 2 * rate))
    }
  }

  /// The sum of every question that has one equals the answer, with absorption followed or not.
  @Test(arguments: CaseQuestion.allCases, CaseAssumptions.Absorption.allCases)
  func sumsEqualTheAnswer(_ question: CaseQuestion, _ absorption: CaseAssumptions.Absorption)
    throws
  {
    let later = CaseDrink(start: 23, duration: 0.5, ethanol: 10, isLater: true)
    let drinks = [
      CaseDrink(start: 18, ethanol: 40), CaseDrink(start: 19, duration: 1, ethanol: 20),
    ]
    let one = try Example.one(
      question, at: question == .sober || question == .drinks ? nil : 22.5,
      drinks: question == .forward ? drinks : question == .later ? [later] : [],
      measured: question == .forward ? nil : Example.blood(0.8, at: 25), began: 18, ended: 20,
      limits: question == .sober ? [0.5] : []
    ) {
      $0.beta = .range(low: 0.1, likeliest: 0.15, high: 0.2)
      $0.absorption = absorption
      $0.rCV = 0.1
    }
    let answer = try CaseAnswer(one)
    #expect(answer.sums.count == 3)
    let ends = [answer.main.likeliest, answer.main.low, answer.main.high]
    for (sum, end) in zip(answer.sums, ends) { #expect(agree(sum.result, end, within: 1e-6)) }
  }

  /// From drinks alone there is none for a time, and none where the measurement leaves the event open.
  @Test func sumIsOmittedWhereItDoesNotEqualTheAnswer() throws {
    let drinks = [CaseDrink(start: 20, ethanol: 40)]
    #expect(try CaseAnswer(try Example.one(.sober, drinks: drinks)).sums.isEmpty)
    let later = CaseDrink(start: 22, ethanol: 40, isLater: true)
    let alone = try Example.one(.forward, at: 23.5, drinks: [later])
    let open = try Example.one(
      .later, at: 18, drinks: [later],
      measured: Example.blood(try CaseAnswer(alone).main.likeliest, at: 23.5), ended: 15)
    let answer = try CaseAnswer(open)
    #expect(answer.isOpen && answer.sums.isEmpty)
  }
}
