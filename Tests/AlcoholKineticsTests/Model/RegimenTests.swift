import AlcoholKinetics
import Testing

@Suite struct RegimenTests {
  @Test func readsDrinksByMassVolumeAndBodyWeight() throws {
    let regimen = try Regimen(
      [
        Drink(time: 1, ethanol: .perBodyWeight(0.2)),
        Drink(time: 0, ethanol: .volume(500, abvPercent: 4.4)),
      ],
      bodyWeight: 76)
    #expect(regimen.start == 0)
    // Nacar (2021), equation 3.1: 500 ml x 0.044 x 0.789 g/ml.
    #expect(abs(regimen.doses[0].amount.value - 17.358 / 76) < 1e-15)
    #expect(abs(regimen.total.value - (17.358 / 76 + 0.2)) < 1e-15)
  }

  @Test func onlyDosesInGramsNeedBodyWeight() throws {
    let perKilogram = Drink(time: 0, ethanol: .perBodyWeight(0.2))
    #expect(try Regimen([perKilogram], bodyWeight: nil).total == 0.2)
    #expect(throws: Problem.weightMissing) {
      try Regimen([Drink(time: 0, ethanol: .mass(20))], bodyWeight: nil)
    }
  }

  @Test func overlappingDrinksLeaveNoInputBehind() throws {
    // 0.1 + 0.2 - 0.1 - 0.2 is not 0 in floating point; an input of 1e-17 g/kg/h for ever would
    // keep the gut from emptying.
    let regimen = Regimen([
      try Dose(start: 0, duration: 1, amount: 0.1),
      try Dose(start: 0.5, duration: 1, amount: 0.2),
      try Dose(start: 0.7, duration: 0.1, amount: 0.3),
    ])
    let curve = Trajectory(regimen, try KineticParameters(ka: 5, beta: 0.15, r: 0.7))
    #expect(curve.massBalance(at: 1000).gut == 0)
  }

  @Test(arguments: [-1, .nan, .infinity])
  func refusesImpossibleDoses(value: Double) {
    #expect(throws: Problem.self) {
      try Dose(start: 0, amount: GramsPerKilogram(value))
    }
    #expect(throws: Problem.self) {
      try Dose(start: 0, duration: Hours(value), amount: 0.1)
    }
  }

  @Test(arguments: [0, -1, .nan, .infinity])
  func refusesImpossibleParameters(value: Double) {
    #expect(throws: Problem.self) {
      try KineticParameters(ka: PerHour(value), beta: 0.15, r: 0.7)
    }
    #expect(throws: Problem.self) {
      try KineticParameters(ka: 5, beta: GramsPerKilogramHour(value), r: 0.7)
    }
    #expect(throws: Problem.self) {
      try KineticParameters(ka: 5, beta: 0.15, r: RFactor(value))
    }
    #expect(throws: Problem.self) {
      try KineticParameters(ka: 5, beta: 0.15, r: 0.7, absorbedFraction: value)
    }
  }
}
