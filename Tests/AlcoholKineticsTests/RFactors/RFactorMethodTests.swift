import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@Suite struct RFactorMethodTests {
  static let man = Subject(id: "m", sex: .male, age: 23, height: 1.80, weight: 76)
  static let woman = Subject(id: "f", sex: .female, age: 22, height: 1.63, weight: 53)

  /// `r-factors.csv` has a row for each method: r of the two, worked out in fractions from the formulas as published with
  /// B = 0.80, and the range that the authors state.
  @Test func everyMethodGivesPublishedValues() throws {
    let rows = try PackageFolder.expectations("r-factors")
    #expect(rows.map { $0["method"] } == RFactorMethods.known().map(\.name))
    for row in rows {
      let method = try #require(RFactorMethods.named(row["method"] ?? ""))
      for (sex, subject) in [("man", Self.man), ("woman", Self.woman)] {
        guard let expected = try row.number(sex) else {
          #expect(throws: Problem.self, "\(method.name)") { try method.rFactor(for: subject) }
          continue
        }
        #expect(
          abs(try method.rFactor(for: subject).value - expected) < 1e-14, "\(method.name) \(sex)")
      }
      for (sex, column) in [(Sex.male, "range_men"), (.female, "range_women")] {
        let range = method.publishedRange(for: sex).map {
          "\(String(format: "%.2f", $0.lowerBound.value))-\(String(format: "%.2f", $0.upperBound.value))"
        }
        #expect(range ?? "" == row[column], "\(method.name) \(sex)")
      }
    }
  }

  /// Nacar (2021), table 2.1: Watson's body water with 0.844 built in. The coefficients are printed
  /// to five digits.
  @Test func watsonMatchesTheThesis() throws {
    let thesisWatson = Watson(bloodWater: .perLitre)
    let (age, height, weight) = (23.0, 1.80, 76.0)
    let thesis = 0.39834 + 12.725 * height / weight - 0.11275 * age / weight + 2.8993 / weight
    #expect(abs(try thesisWatson.rFactor(for: Self.man).value - thesis) < 1e-5)
    let women = 0.29218 + 12.666 * 1.63 / 53 - 2.4846 / 53
    #expect(abs(try thesisWatson.rFactor(for: Self.woman).value - women) < 1e-5)
  }

  /// The unit tests of another program print 39.88 L for a man of 1.70 m and 70 kg and 32.61 L for a
  /// woman of 1.65 m and 60 kg.
  @Test func humeAndWeyersBodyWaterMatchesPrintedFormula() throws {
    let man = Subject(id: "a", sex: .male, height: 1.70, weight: 70)
    #expect(abs(try HumeWeyers().totalBodyWater(of: man).value - 39.88) < 0.005)
    let woman = Subject(id: "b", sex: .female, height: 1.65, weight: 60)
    #expect(abs(try HumeWeyers().totalBodyWater(of: woman).value - 32.61) < 0.005)
  }

  @Test func watsonWithoutHeightNeedsNoHeight() throws {
    let woman = Subject(id: "b", sex: .female, weight: 60)
    #expect(abs(try WatsonWithoutHeight().totalBodyWater(of: woman).value - 29.754) < 1e-12)
    let man = Subject(id: "a", sex: .male, weight: 70)
    #expect(throws: Problem.missingMeasure("age_y", method: "watson-without-height")) {
      try WatsonWithoutHeight().rFactor(for: man)
    }
  }

  @Test func bloodWaterMovesWatsonByFivePercent() throws {
    let perLitre = try Watson(bloodWater: .perLitre).rFactor(for: Self.man)
    let perKilogram = try Watson().rFactor(for: Self.man)
    #expect(abs(perKilogram / perLitre - 1.055) < 1e-12)
  }

  @Test func ulrichHasNoFormulaForWomen() {
    #expect(throws: Problem.methodNotDefined("ulrich", for: .female)) {
      try Ulrich().rFactor(for: Self.woman)
    }
  }

  @Test func missingMeasuresAreNamed() {
    let unknown = Subject(id: "x", sex: .male, height: 1.8, weight: 76)
    #expect(throws: Problem.missingMeasure("age_y", method: "watson")) {
      try Watson().rFactor(for: unknown)
    }
    for method in RFactorMethods.known() {
      #expect(throws: Problem.missingMeasure("sex", method: method.name)) {
        try method.rFactor(for: Subject(id: "nobody"))
      }
    }
  }

  @Test func refusesImpossibleR() {
    let heavy = Subject(id: "x", sex: .male, age: 40, height: 1.0, weight: 300)
    #expect(throws: Problem.self) { try Forrest().rFactor(for: heavy) }
    #expect(throws: Problem.self) { try GivenRFactor(-0.7).rFactor(for: heavy) }
    #expect(throws: Problem.self) { try GivenRFactor(RFactor(.nan)).rFactor(for: heavy) }
  }

  @Test func findsMethodsByName() throws {
    #expect(RFactorMethods.named("Seidel")?.name == "seidl")
    #expect(RFactorMethods.named("WATSON")?.name == "watson")
    #expect(RFactorMethods.named("nobody") == nil)
  }
}
