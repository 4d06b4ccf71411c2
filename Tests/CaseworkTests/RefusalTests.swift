import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@testable import Casework

@Suite struct RefusalTests {
  private func code(_ one: @autoclosure () throws -> Case) -> String {
    do {
      _ = try CaseAnswer(try one())
      return "answered"
    } catch let failure as Problem {
      #expect(!failure.description.isEmpty)
      return failure.code
    } catch {
      return "\(error)"
    }
  }

  private let reading = Example.blood(0.8, at: 24)

  @Test func refusesToCalculateBackIntoAbsorption() throws {
    #expect(
      code(try Example.one(.back, at: 21, measured: reading, ended: 20)) == "E_CASE_ABSORPTION")
    #expect(code(try Example.one(.back, at: 22, measured: reading, ended: 20)) == "answered")
    let drink = CaseDrink(start: 18, duration: 2, ethanol: 60)
    #expect(
      code(try Example.one(.back, at: 21.9, drinks: [drink], measured: reading))
        == "E_CASE_ABSORPTION")
  }

  @Test func refusesMeasurementsTooLowToUse() throws {
    for question in [CaseQuestion.back, .drinks] {
      #expect(
        code(
          try Example.one(
            question, at: 22, measured: Example.blood(0.19, at: 24), began: 18, ended: 18))
          == "E_CASE_INPUT")
    }
    // When somebody is sober may be asked of any reading.
    #expect(code(try Example.one(.sober, measured: Example.blood(0.19, at: 24))) == "answered")
  }

  @Test func missingInputsAreNamed() throws {
    let later = CaseDrink(start: 23, ethanol: 10, isLater: true)
    let nobody = Subject(id: "1")
    #expect(code(try Example.one(.back, at: 22)) == "E_CASE_MISSING")
    #expect(code(try Example.one(.back, measured: reading)) == "E_CASE_MISSING")
    #expect(code(try Example.one(.forward, at: 22)) == "E_CASE_MISSING")
    #expect(code(try Example.one(.drinks, measured: reading)) == "E_CASE_MISSING")
    #expect(code(try Example.one(.later, at: 22, measured: reading)) == "E_CASE_MISSING")
    #expect(code(try Example.one(.sober)) == "E_CASE_MISSING")
    #expect(
      code(try Example.one(.later, at: 22, drinks: [later], measured: reading, person: nobody))
        == "E_CASE_MISSING")
    #expect(
      code(
        try Example.one(.forward, at: 23, drinks: [later], person: nobody) { $0.rFactor = Watson() }
      )
        == "E_CASE_MISSING")
    let unknown = try Example.one(.back, at: 22, measured: reading, person: nobody) {
      $0.beta = nil
    }
    #expect(throws: Problem.self) {
      try CaseAnswer(unknown, options: CaseOptions(mode: .monteCarlo, draws: 100))
    }
  }

  @Test func impossibleInputsAreRefused() throws {
    let drink = CaseDrink(start: 20, ethanol: 20)
    func body(_ weight: Double, _ height: Double) -> Subject {
      Subject(
        id: "1", sex: .male, age: 40, height: Metres(centimetres: height), weight: Kilograms(weight)
      )
    }
    for person in [
      body(0, 180), body(-80, 180), body(.nan, 180), body(.infinity, 180), body(80, 1.8),
      body(80, 0),
      body(80, .nan), body(400, 150),
    ] {
      #expect(
        code(try Example.one(.forward, at: 22, drinks: [drink], person: person)) == "E_CASE_INPUT")
    }
    // 95 mg/100 ml taken for g/kg, and others.
    for value in [95, -1, .nan, .infinity] {
      #expect(
        code(try Example.one(.back, at: 22, measured: Example.blood(value, at: 24)))
          == "E_CASE_INPUT")
    }
    for sd in [-0.1, 0.5, .nan, .infinity] {
      #expect(
        code(try Example.one(.back, at: 22, measured: Example.blood(0.8, at: 24, sd: sd)))
          == "E_CASE_INPUT")
    }
    for ethanol in [-1, 0, .nan, 5000] {
      #expect(
        code(
          try Example.one(.forward, at: 22, drinks: [CaseDrink(start: 20, ethanol: Grams(ethanol))])
        )
          == "E_CASE_INPUT")
    }
    let many = [CaseDrink](repeating: CaseDrink(start: 20, ethanol: 0.001), count: 1_000_000)
    #expect(code(try Example.one(.forward, at: 22, drinks: many)) == "E_CASE_INPUT")
    for beta in [15, 0, 0.01] {
      #expect(
        code(try Example.one(.back, at: 22, measured: reading) { $0.beta = .exactly(beta) })
          == "E_CASE_INPUT")
    }
    #expect(
      code(
        try Example.one(.back, at: 22, measured: reading) { $0.beta = .normal(mean: 0.15, sd: 5) })
        == "E_CASE_INPUT")
    #expect(
      code(try Example.one(.forward, at: 22, drinks: [drink]) { $0.rFactor = GivenRFactor(7) })
        == "E_CASE_INPUT")
    #expect(
      code(try Example.one(.back, at: 22, measured: reading) { $0.factors.bloodDensityKgPerL = 0 })
        == "E_CASE_INPUT")
    #expect(code(try Example.one(.sober, measured: reading, limits: [80])) == "E_CASE_INPUT")
    #expect(
      code(try Example.one(.sober, measured: reading, limits: [-.infinity])) == "E_CASE_INPUT")
  }

  @Test func timesOutOfOrderAreRefused() throws {
    let drink = CaseDrink(start: 23, duration: 1, ethanol: 20)
    #expect(code(try Example.one(.back, at: 25, measured: reading)) == "E_CASE_INPUT")
    #expect(
      code(
        try Example.one(
          .back, at: 23, drinks: [CaseDrink(start: 25, ethanol: 9)], measured: reading))
        == "E_CASE_INPUT")
    #expect(code(try Example.one(.forward, at: 22, drinks: [drink])) == "E_CASE_INPUT")
    #expect(
      code(try Example.one(.drinks, measured: reading, began: 23, ended: 22)) == "E_CASE_INPUT")
    #expect(code(try Example.one(.drinks, measured: reading, began: 25)) == "E_CASE_INPUT")
    #expect(code(try Example.one(.back, at: -30, measured: reading)) == "E_CASE_INPUT")
    var later = drink
    later.isLater = true
    #expect(
      code(try Example.one(.later, at: 23.5, drinks: [later], measured: reading)) == "E_CASE_INPUT")
    #expect(
      code(try Example.one(.later, at: 22, drinks: [later], measured: Example.blood(0.8, at: 23.5)))
        == "E_CASE_INPUT")
    #expect(
      code(try Example.one(.back, at: 22, measured: Example.blood(0.8, at: Hours(.nan))))
        == "E_CASE_INPUT")
  }

  @Test func poundsAndChildrenAreWarnedOf() throws {
    let drink = CaseDrink(start: 20, ethanol: 20)
    let pounds = Subject(
      id: "1", sex: .female, age: 30, height: Metres(centimetres: 165), weight: 143)
    let child = Subject(id: "1", sex: .male, age: 15, height: Metres(centimetres: 165), weight: 55)
    for person in [pounds, child] {
      let answer = try CaseAnswer(
        try Example.one(.forward, at: 22, drinks: [drink], person: person))
      #expect(answer.warnings.map(\.code) == ["W_CASE_BODY"])
    }
  }

  @Test func assumptionsAreWarnedOf() throws {
    let far = try CaseAnswer(try Example.one(.back, at: 18, measured: reading))
    #expect(far.warnings.map(\.code) == ["W_CASE_ABSORBING", "W_CASE_FAR"])
    let drink = CaseDrink(start: 20, ethanol: 20)
    let soon = try Example.one(.drinks, measured: reading, began: 22, ended: 23.5)
    #expect(try CaseAnswer(soon).warnings.map(\.code) == ["W_CASE_ABSORBING"])
    let early = try Example.one(.forward, at: 21, drinks: [drink]) { $0.absorption = .finished }
    #expect(try CaseAnswer(early).warnings.map(\.code) == ["W_CASE_ABSORBING"])
    #expect(
      try CaseAnswer(try Example.one(.sober, measured: reading)).warnings.map(\.code) == [
        "W_CASE_NEAR_ZERO"
      ])
  }
}

@Suite struct ClockTests {
  @Test(arguments: [
    ("23:40", 23.666666666666667), ("00:00", 0.0), ("1:05", 1.0833333333333333), ("01:30+1", 25.5),
    ("12:00:36", 12.01),
  ])
  func readsTimesOfOneDay(_ text: String, _ hours: Double) throws {
    #expect(agree(try CaseClock().hours(text).value, hours))
  }

  @Test func readsDates() throws {
    let clock = try CaseClock(date: "2024-02-28")
    #expect(try clock.hours("2024-03-01 01:00") == 49)
    #expect(try clock.hours("2024-02-27T23:00") == -1)
    #expect(try clock.hours("22:00") == 22)
    #expect(clock.text(49) == "2024-03-01 01:00")
    #expect(clock.text(-1) == "2024-02-27 23:00")
    #expect(try CaseClock(date: "2023-02-28").text(24) == "2023-03-01 00:00")
    #expect(try CaseClock().text(25.5) == "01:30+1")
    #expect(
      try CaseClock(times: ["2024-01-02 01:00", "2024-01-01 22:00"]).hours("2024-01-02 01:00")
        == 25)
  }

  @Test(arguments: [
    "", "24:00", "23:60", "23", "23:4:5:6", "-1:00", "1e1:00", "23:40+9", "23:40+x", "23:40Z",
    "23:40+01:00",
    "2024-02-30 12:00", "2024-01-01 12:00+2", "2024-01-01 23:59:60", "2024-13-01 12:00",
    "2024-01-01", "2024-01-01 ", "\u{0661}2:00",
    "12:00\u{202e}",
    "noon", "23:40 pm", "nan:00", " 12:00",
  ])
  func refusesTextsThatAreNoTime(_ text: String) throws {
    let clock = try CaseClock(date: "2024-01-01")
    #expect(throws: Problem.self) { try clock.hours(text) }
  }

  @Test func refusesHalfADate() {
    #expect(throws: Problem.self) { try CaseClock(times: ["2024-01-02 01:00", "22:00"]) }
    #expect(throws: Problem.self) { try CaseClock(date: "01.03.2024") }
  }

  /// The days of four centuries are read back, each one after the one before.
  @Test func countsDaysAsTheCalendarDoes() throws {
    var clock = try CaseClock(date: "1900-01-01")
    for _ in 0..<400 {
      let next = String(clock.text(Hours(24 * 365)).prefix(10))
      let again = try CaseClock(date: next)
      #expect((again.day ?? 0) - (clock.day ?? 0) == 365)
      clock = again
    }
    #expect(try CaseClock(date: "1970-01-01").day == 0)
    #expect(try CaseClock(date: "2000-03-01").day == 11_017)
  }
}
