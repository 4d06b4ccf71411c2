import AlcoholKinetics
import Foundation
import StudyData
import TestSupport
import Testing

@testable import Casework

/// The assumptions of a case besides beta and r, each against a formula that is worked out here.
@Suite struct CaseAssumptionTests {
  private static let one = CaseDrink(start: 20, ethanol: 60)

  /// 0.9 x 60 / 56 - 0.15 x 3.
  @Test func absorptionDeficitReducesEveryDrink() throws {
    let forward = try Example.one(.forward, at: 23, drinks: [Self.one]) {
      $0.absorption = .finished
      $0.absorbedFraction = .exactly(0.9)
    }
    #expect(agree(try CaseAnswer(forward).main.likeliest, 0.9 * 60 / 56 - 0.45))
    let range = try Example.one(.forward, at: 23, drinks: [Self.one]) {
      $0.absorption = .finished
      $0.absorbedFraction = .range(low: 0.7, likeliest: 0.8, high: 0.9)
    }
    let answer = try CaseAnswer(range)
    #expect(agree(answer.main.low, 0.7 * 60 / 56 - 0.45))
    #expect(agree(answer.main.high, 0.9 * 60 / 56 - 0.45))
    #expect(answer.inputs.map(\.name).contains(.absorbed))
    let draws = try CaseAnswer(range, options: CaseOptions(mode: .monteCarlo, draws: 2000))
    #expect(draws.sensitivities.map(\.input) == [.absorbed])
  }

  /// The calculated amount reproduces the measurement, and the sum equals it.
  @Test(arguments: CaseAssumptions.Absorption.allCases)
  func absorptionDeficitRaisesDrinksFromAMeasurement(_ absorption: CaseAssumptions.Absorption)
    throws
  {
    let measured = Example.blood(0.8, at: 24)
    let all = try Example.one(.drinks, measured: measured, began: 20) { $0.absorption = absorption }
    let part = try Example.one(.drinks, measured: measured, began: 20) {
      $0.absorption = absorption
      $0.absorbedFraction = .exactly(0.8)
    }
    let answer = try CaseAnswer(part)
    #expect(agree(answer.main.likeliest, try CaseAnswer(all).main.likeliest / 0.8, relative: 1e-9))
    #expect(agree(answer.sums.first?.result, answer.main.likeliest, relative: 1e-6))
  }

  @Test(arguments: [
    Uncertainty.exactly(1.1), .exactly(90), .exactly(0.1), .normal(mean: 0.9, sd: 0.1),
    .uniform(low: 0, high: 1),
  ])
  func absorbedFractionOutsideZeroToOneIsRefused(_ fraction: Uncertainty) throws {
    let one = try Example.one(.forward, at: 23, drinks: [Self.one]) {
      $0.absorbedFraction = fraction
    }
    #expect(throws: Problem.self) { try CaseAnswer(one) }
  }

  /// 80 g / (0.7 L/kg x 75 kg) = 1.524 g/L, and times the density if r is in kg/kg.
  @Test func rMayBePerLitre() throws {
    let person = Subject(id: "1", sex: .male, weight: 75)
    func answer(_ unit: CaseRUnit?) throws -> CaseAnswer {
      try CaseAnswer(
        try Example.one(
          .forward, at: 20, drinks: [CaseDrink(start: 20, ethanol: 80)], person: person,
          unit: .bloodGramsPerLitre
        ) {
          $0.absorption = .finished
          $0.rUnit = unit
        })
    }
    #expect(agree(try answer(.litresPerKilogram).main.likeliest, 80 / 52.5))
    #expect(agree(try answer(.kilogramsPerKilogram).main.likeliest, 1.055 * 80 / 52.5))
    let silent = try answer(nil)
    let word = try #require(silent.warnings.first { $0.code == "W_CASE_R_UNIT" })
    #expect(word.finding.contains("1.52 g/L") && !word.finding.contains("--"))
    #expect(try answer(.litresPerKilogram).warnings.allSatisfy { $0.code != "W_CASE_R_UNIT" })
    let method = try Example.one(.forward, at: 20, drinks: [Self.one]) {
      $0.rFactor = Watson()
      $0.rUnit = .litresPerKilogram
    }
    #expect(throws: Problem.self) { try CaseAnswer(method) }
  }

  /// 1.6 - 2 x 0.186 g/L; with a drink after the measurement, what that gives comes to it.
  @Test func forwardAnswerStartsFromAMeasurement() throws {
    let measured = CaseMeasurement(time: 24, value: 1.6, unit: .bloodGramsPerLitre)
    func one(_ drinks: [CaseDrink], at: Hours) throws -> Case {
      try Example.one(
        .forward, at: at, drinks: drinks, measured: measured, unit: .bloodGramsPerLitre
      ) {
        $0.absorption = .finished
        $0.beta = .exactly(0.186 / 1.055)
        $0.rUnit = .litresPerKilogram
      }
    }
    let answer = try CaseAnswer(try one([], at: 26))
    #expect(agree(answer.main.likeliest, 1.228))
    #expect(agree(answer.sums.first?.result, 1.228))
    #expect(answer.inputs.map(\.name) == [.measurement, .beta])
    #expect(agree(try CaseAnswer(try one([], at: 40)).main.likeliest, 0, within: 1e-12))
    let later = CaseDrink(start: 25, ethanol: 28)
    #expect(agree(try CaseAnswer(try one([later], at: 26)).main.likeliest, 1.728))
    #expect(throws: Problem.self) { try CaseAnswer(try one([], at: 23)) }
    // What was drunk before the measurement is what is asked about, as ever.
    let before = try CaseAnswer(try one([CaseDrink(start: 20, ethanol: 56)], at: 26))
    #expect(agree(before.main.likeliest, max(0, 1 - 6 * 0.186), within: 1e-12))
    #expect(before.values.map(\.quantity.name).contains(.unexplained))
  }

  /// Later drinks that are taken as absorbed: 1 + 2 x 0.15 - 20 / 56.
  @Test func laterDrinksMayBeFullyAbsorbed() throws {
    let one = try Example.one(
      .later, at: 21, drinks: [CaseDrink(start: 22, ethanol: 20, isLater: true)],
      measured: Example.blood(1, at: 23), ended: 18
    ) { $0.absorption = .finished }
    let answer = try CaseAnswer(one)
    #expect(agree(answer.main.likeliest, 1.3 - 20 / 56.0))
    #expect(agree(answer.values[1].likeliest, 20 / 56.0))
    #expect(answer.warnings.map(\.code) == ["W_CASE_ABSORBING"])
    #expect(!answer.inputs.map(\.name).contains(.ka))
  }

  /// Drinks that are held against a measurement count as those that are asked about.
  @Test func finishedAbsorptionAppliesToComparedDrinks() throws {
    let one = try Example.one(
      .forward, at: 21, drinks: [Self.one], measured: Example.blood(0.9, at: 21)
    ) { $0.absorption = .finished }
    let answer = try CaseAnswer(one)
    let expected = try #require(answer.values.first { $0.quantity.name == .expected })
    #expect(agree(expected.likeliest, 60 / 56.0 - 0.15))
    #expect(agree(expected.likeliest, answer.main.likeliest))
  }

  /// 5 g at 15:00 are gone at 15:22, so that 80 g at 15:45 stand alone: 80 / 54.3 - 0.25 x 4.25 = 0.411.
  @Test func sumCountsOnlyHoursWithAlcohol() throws {
    let person = Subject(id: "1", sex: .male, weight: 90.5)
    let one = try Example.one(
      .forward, at: 20,
      drinks: [
        CaseDrink(start: 15, duration: 1.5, ethanol: 5),
        CaseDrink(start: 15.75, duration: 1.5, ethanol: 80),
      ], person: person
    ) {
      $0.rFactor = GivenRFactor(0.6)
      $0.beta = .exactly(0.25)
      $0.absorption = .finished
    }
    let answer = try CaseAnswer(one)
    #expect(agree(answer.main.likeliest, 80 / 54.3 - 0.25 * 4.25))
    let sum = try #require(answer.sums.first)
    let hours = 4.25 + 5 / 54.3 / 0.25
    #expect(sum.form == .forward)
    #expect(agree(sum.terms[0], 85 / 54.3) && agree(sum.terms[3], hours))
    #expect(agree(sum.terms[2], hours * 0.25))
  }
}

/// The rule of German courts for an event soon after the last drink.
@Suite struct AbsorptionRuleTests {
  private func one(at: Hours, ended: Hours, measured: Hours = 18) throws -> Case {
    var one = try Example.one(
      .back, at: at, measured: Example.blood(1.1, at: measured), ended: ended)
    one.assumptions.beta = nil
    one.assumptions.guideline = .germanLeast
    return one
  }

  /// 1.1 at 18:00, the event at 15:00, the last drink at 14:30: counted to 16:30.
  @Test func absorptionRuleEndsTwoHoursAfterTheLastDrink() throws {
    let answer = try CaseAnswer(try one(at: 15, ended: 14.5))
    #expect(agree(answer.main.likeliest, 1.25))
    #expect(agree(answer.one.countedTo?.value, 16.5))
    #expect(agree(answer.sums.first?.terms[1], 1.5))
    #expect(agree(try CaseAnswer(try one(at: 16.75, ended: 14.5)).main.likeliest, 1.225))
  }

  /// The rule is refused for an event during drinking, for a measurement within two hours, and if it was not chosen;
  /// the message states from when on there is an answer.
  @Test func absorptionRuleRefusesOtherCases() throws {
    #expect(throws: Problem.self) { try CaseAnswer(try one(at: 14, ended: 14.5)) }
    #expect(throws: Problem.self) { try CaseAnswer(try one(at: 15, ended: 14.5, measured: 16)) }
    var free = try one(at: 15, ended: 14.5)
    free.assumptions.guideline = nil
    free.assumptions.beta = .exactly(0.15)
    #expect {
      try CaseAnswer(free)
    } throws: {
      ($0 as? Problem)?.description.contains("about 16:30 or later") == true
    }
  }

  /// 1.52 g/L of serum over 1.236 and over 1.2, and an hour at 0.1.
  @Test func serumWarningStatesResultsOfOtherDivisors() throws {
    var serum = try one(at: 17, ended: 14.5)
    serum.measurement = CaseMeasurement(time: 18, value: 1.52, unit: .serumGramsPerLitre)
    serum.limits = [1.34, 1.1]
    let answer = try CaseAnswer(serum)
    #expect(agree(answer.main.likeliest, 1.52 / 1.16 / 1.055 + 0.1))
    let word = try #require(answer.warnings.first { $0.code == "W_CASE_SERUM_RATIO" })
    #expect(word.finding.contains("1.33 to 1.37 g/kg; the limit of 1.34 g/kg lies between"))
    serum.assumptions.factors.serumBloodRatio = 1.2
    #expect(try CaseAnswer(serum).warnings.allSatisfy { $0.code != "W_CASE_SERUM_RATIO" })
  }
}

@Suite struct BreathRatioTests {
  /// From breath to breath only beta is converted: a ratio that is 12 % higher makes the answer lower.
  @Test func breathRatioWarningStatesResultOfAnotherRatio() throws {
    func answer(_ unit: ConcentrationUnit, _ ratio: Double?) throws -> CaseAnswer {
      try CaseAnswer(
        try Example.one(
          .back, at: 25,
          measured: CaseMeasurement(time: 26, value: 43, unit: .breathMicrogramsPer100Millilitres),
          ended: 22, unit: unit
        ) {
          $0.beta = nil
          if let ratio {
            $0.factors.bloodBreathRatio = ratio
            $0.isBreathRatioStated = true
          }
        })
    }
    for unit in [ConcentrationUnit.breathMicrogramsPer100Millilitres, .bloodGramsPerKilogram] {
      let word = try #require(
        try answer(unit, nil).warnings.first { $0.code == "W_BREATH_RATIO_ASSUMED" })
      let other = try answer(unit, 2349)
      let text = String(format: "%.3g", other.main.likeliest)
      #expect(word.finding.contains("with which the answer is \(text) "))
      #expect(word.advice.contains("--blood-breath-ratio-sd") && !word.finding.contains("--"))
      #expect(other.warnings.isEmpty)
    }
  }
}

@Suite struct StatedTextTests {
  private func drink(_ text: String) throws -> StatedDrink {
    try StatedDrink(parsing: text, at: "--drink")
  }

  /// In ml and percent by hand: a US fluid ounce is 29.5735295625 ml, a UK one 28.4130625 ml, 100 US proof are 50 %.
  @Test(arguments: [
    ("20:00=5oz@12%", 147.8676, 12.0, "US"), ("20:00=5floz@12%", 147.8676, 12, "US"),
    ("20:00=5 uk fl oz@12%", 142.0653, 12, "uk"), ("20:00=1 uk pint@5%", 568.261, 5, "uk pint"),
    ("20:00=1 us pint@5%", 473.176, 5, "us pint"), ("20:00=270ml@90proof", 270, 45, "US proof"),
    ("20:00=3dl@12%", 300, 12, "3dl"),
  ])
  func readsCommonSpellings(_ text: String, _ volume: Double, _ percent: Double, _ said: String)
    throws
  {
    let drink = try drink(text)
    let ethanol = EthanolDose.volume(Millilitres(volume), abvPercent: percent)
    #expect(
      agree(
        drink.drink.ethanol.value, ethanol.mass(forBodyWeight: nil)?.value, relative: 1e-6))
    #expect(drink.drink.text.contains(said), "\(drink.drink.text)")
    #expect(drink.remark?.contains(said) == true, "\(drink.remark ?? "")")
  }

  @Test func unitsOfAlcoholAreBritish() throws {
    for text in ["20:00=3units", "20:00=3 uk units"] {
      let drink = try drink(text)
      #expect(agree(drink.drink.ethanol.value, 24))
      #expect(drink.remark?.lowercased().contains("uk") == true)
    }
  }

  @Test(arguments: [
    ("20:00=1pint@5%", "us pint (473 ml) or uk pint"),
    ("20:00=2 standard drinks", "us standard drinks"),
    ("20:00=500ml", "is not a drink"), ("20:00=0x10g", "is not a drink"),
    ("20:00=2 beers", "is not a drink"), ("20:00=20", "oz (of the US)"),
  ])
  func refusesAmbiguousTexts(_ text: String, _ said: String) {
    #expect {
      try drink(text)
    } throws: {
      ($0 as? Problem)?.description.contains(said) == true
    }
  }

  /// Rates in g/kg/h by hand: over 1.055, and mg/100 ml over 100.
  @Test(arguments: [
    ("0.186g/L/h", nil, 0.186 / 1.055), ("19 mg/100 ml/h", nil, 0.19 / 1.055),
    ("0.15", nil, 0.15), ("0.15 g/kg/h", nil, 0.15), ("1.5e-1", nil, 0.15), ("0.15‰/h", nil, 0.15),
    ("0.186", ConcentrationUnit.bloodGramsPerLitre, 0.186 / 1.055),
  ])
  func betaTakesAUnit(_ text: String, _ unit: ConcentrationUnit?, _ beta: Double) throws {
    #expect(agree(try stated(text, unit)?.likeliest, beta))
  }

  private func stated(_ beta: String, _ unit: ConcentrationUnit? = nil) throws -> Uncertainty? {
    var assumptions = CaseAssumptions()
    try assumptions.state(beta: CaseText(beta, at: "--beta"), betaUnit: unit)
    return assumptions.beta
  }

  @Test func rangesOfBetaTakeAUnitToo() throws {
    let ends = try #require(try stated("range:9,19,29 mg/100ml/h")?.ends)
    #expect(agree(ends.lowerBound, 0.09 / 1.055) && agree(ends.upperBound, 0.29 / 1.055))
    for text in ["0.15 kg", "0.15 g/L", "15 mg/h"] {
      #expect(throws: Problem.self) { try stated(text) }
    }
    #expect(throws: Problem.self) { try stated("0.15g/L/h", .bloodGramsPerKilogram) }
  }

  @Test func aLimitWithoutAUnitNamesTheOption() throws {
    var one = try Example.one(.forward, limits: [0.5])
    #expect {
      try one.setUnit(nil)
    } throws: {
      ($0 as? Problem)?.description.contains("--answer-unit") == true
    }
  }
}
