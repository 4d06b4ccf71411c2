import AlcoholKinetics
import Testing

@Suite struct RFactorMethodTests {
  static let man = Subject(id: "m", sex: .male, age: 23, height: 1.80, weight: 76)
  static let woman = Subject(id: "f", sex: .female, age: 22, height: 1.63, weight: 53)

  /// Worked by hand from the formulas as published.
  @Test(arguments: [
    ("widmark", man, 0.68), ("widmark", woman, 0.55),
    ("watson", man, (2.447 - 2.18868 + 19.332 + 25.5512) / (0.844 * 76)),
    ("watson", woman, (-2.097 + 17.4247 + 13.0698) / (0.844 * 53)),
    ("forrest", man, 1.0178 - 0.012127 * 76 / 3.24),
    ("forrest", woman, 0.8736 - 0.0124 * 53 / 2.6569),
    ("seidl", man, 0.31608 - 0.366396 + 0.83376),
    ("seidl", woman, 0.31223 - 0.341638 + 0.727958),
    ("ulrich", man, 0.715 - 0.35112 + 0.396),
  ])
  func givesThePublishedValue(name: String, subject: Subject, expected: Double) throws {
    let method = try #require(RFactorMethods.named(name))
    #expect(abs(try method.rFactor(for: subject).value - expected) < 1e-14)
  }

  /// Nacar (2021), table 2.1: Watson's body water with 0.844 built in. The coefficients are printed
  /// to five digits.
  @Test func watsonIsTheThesisFormula() throws {
    let (age, height, weight) = (23.0, 1.80, 76.0)
    let thesis = 0.39834 + 12.725 * height / weight - 0.11275 * age / weight + 2.8993 / weight
    #expect(abs(try Watson().rFactor(for: Self.man).value - thesis) < 1e-5)
    let women = 0.29218 + 12.666 * 1.63 / 53 - 2.4846 / 53
    #expect(abs(try Watson().rFactor(for: Self.woman).value - women) < 1e-5)
  }

  /// Published worked numbers: Arch Toxicol 95 (2021) 3651, table 1 (man of 40, 172.72 cm,
  /// 72.576 kg), and a CAIS output (woman of 24, 170 cm, 63 kg).
  @Test func watsonsBodyWaterAsPublished() throws {
    let man = Subject(id: "a", sex: .male, age: 40, height: 1.7272, weight: 72.576)
    #expect(abs(try Watson().totalBodyWater(of: man).value - 41.5907792) < 1e-6)
    let woman = Subject(id: "b", sex: .female, age: 24, height: 1.70, weight: 63)
    #expect(abs(try Watson().totalBodyWater(of: woman).value - 31.6118) < 1e-6)
  }

  @Test func bloodWaterMovesWatsonByFivePercent() throws {
    let perLitre = try Watson().rFactor(for: Self.man)
    let perKilogram = try Watson(bloodWater: .perKilogram).rFactor(for: Self.man)
    #expect(abs(perKilogram / perLitre - 1.055) < 1e-12)
  }

  @Test func ulrichHasNoFormulaForWomen() {
    #expect(throws: RFactorError.notDefined(method: "ulrich", sex: .female)) {
      try Ulrich().rFactor(for: Self.woman)
    }
  }

  @Test func saysWhatIsMissing() {
    let unknown = Subject(id: "x", sex: .male, height: 1.8, weight: 76)
    #expect(throws: RFactorError.missing(method: "watson", measure: "age_y")) {
      try Watson().rFactor(for: unknown)
    }
    for method in RFactorMethods.all() {
      #expect(throws: RFactorError.missing(method: method.name, measure: "sex")) {
        try method.rFactor(for: Subject(id: "nobody"))
      }
    }
  }

  @Test func refusesARThatNoBodyCanHave() {
    let heavy = Subject(id: "x", sex: .male, age: 40, height: 1.0, weight: 300)
    #expect(throws: RFactorError.self) { try Forrest().rFactor(for: heavy) }
    #expect(throws: RFactorError.self) { try GivenRFactor(-0.7).rFactor(for: heavy) }
    #expect(throws: RFactorError.self) { try GivenRFactor(RFactor(.nan)).rFactor(for: heavy) }
  }

  @Test func findsMethodsByName() throws {
    #expect(RFactorMethods.named("Seidel")?.name == "seidl")
    #expect(RFactorMethods.named("WATSON")?.name == "watson")
    #expect(RFactorMethods.named("nobody") == nil)
    let names = RFactorMethods.all().map(\.name)
    #expect(names == ["widmark", "watson", "forrest", "seidl", "ulrich"])
  }

  /// Every method gives a plausible r over the plausible range of bodies.
  @Test func staysPlausibleForPlausibleBodies() throws {
    for method in RFactorMethods.all() {
      for sex in Sex.allCases where !(method.name == "ulrich" && sex == .female) {
        for height in stride(from: 1.55, through: 1.95, by: 0.1) {
          for index in stride(from: 19.0, through: 29, by: 2) {
            let subject = Subject(
              id: "s", sex: sex, age: 35, height: Metres(height),
              weight: Kilograms(index * height * height))
            let r = try method.rFactor(for: subject)
            #expect(r > 0.4 && r < 0.9, "\(method.name) \(subject)")
          }
        }
      }
    }
  }
}
