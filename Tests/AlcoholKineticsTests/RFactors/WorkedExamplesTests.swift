import AlcoholKinetics
import Testing

/// Numbers that others have printed, each with the conventions behind it.
@Suite struct WorkedExamplesTests {
  /// Arch Toxicol 95 (2021) 3651-3664, table 1: three, then every hour two drinks of 1.5 fl oz at
  /// 40 %, for a man of 40 years, 68 in and 160 lb.
  ///
  /// Its conventions: 29.57 ml per fl oz; 0.79 g of ethanol per ml; Watson's body water; 0.80 L of
  /// water per litre of blood, so that the model's concentration is in g/L, ten times the table's
  /// g% (g per 100 ml); drinks absorbed at once; beta 0.02 g% per h (the caption's 0.2 is a slip).
  @Suite struct ArchToxicol2021 {
    let man = Subject(id: "a", sex: .male, age: 40, height: 1.7272, weight: 72.576)
    let watson = Watson(bloodWater: BloodWater(content: 0.80))

    /// Grams in a number of drinks.
    func drinks(_ count: Double) -> Double { count * 1.5 * 29.57 * 0.40 * 0.79 }

    @Test func bodyWaterMatchesArchToxicol2021() throws {
      #expect(abs(try watson.totalBodyWater(of: man).value - 41.5907792) < 5e-8)
    }

    /// B / TBW in 1/dl; r x weight is TBW / B in litres.
    @Test func bloodWaterQuotientMatchesArchToxicol2021() throws {
      let litres = try watson.rFactor(for: man).value * 72.576
      #expect(abs(1 / (litres * 10) - 0.001923503) < 5e-10)
    }

    @Test func drinksInGramsMatchArchToxicol2021() {
      #expect(abs(drinks(3) - 42.04854) < 5e-6)
      #expect(abs(drinks(2) - 28.03236) < 5e-6)
    }

    /// The whole model, with a k_a so large (10^10 /h) that 10^-8 h after a drink all of it is in
    /// the blood and next to nothing is eliminated. Tolerance: half of the last printed digit.
    @Test func concentrationsMatchArchToxicol2021() throws {
      let regimen = try Regimen(
        [3.0, 2, 2, 2].enumerated().map { hour, count in
          Drink(time: Hours(Double(hour)), ethanol: .mass(Grams(drinks(count))))
        }, bodyWeight: man.weight)
      let parameters = try KineticParameters(ka: 1e10, beta: 0.2, r: watson.rFactor(for: man))
      let curve = Trajectory(regimen, parameters)
      for (hour, percent) in [0.080881, 0.114801, 0.148721, 0.182642].enumerated() {
        let gramsPerLitre = curve.concentration(at: Hours(Double(hour) + 1e-8)).value
        #expect(abs(gramsPerLitre / 10 - percent) < 5e-7, "after \(hour) h")
      }
    }
  }

  /// A sample output of Indiana University's CAIS software: a woman of 24 years, 170 cm and 63 kg.
  @Test func bodyWaterMatchesCAISOutput() throws {
    let woman = Subject(id: "b", sex: .female, age: 24, height: 1.70, weight: 63)
    #expect(abs(try Watson().totalBodyWater(of: woman).value - 31.6118) < 5e-5)
  }

  /// The calculator boozelib (github.com/brutus/boozelib, commit 0866d2f).
  ///
  /// Its conventions: 0.8 g of ethanol per ml; 0.80 L of water per litre of blood, and g/L divided
  /// by the density of blood 1.055 to g/kg; for women Watson's body water with a term for age.
  @Suite struct Boozelib {
    /// Watson's body water with the term for women's age (A. Eicker) that boozelib uses.
    ///
    /// It stands here as what a user of the library writes to add a method.
    struct WatsonEicker: BodyWaterMethod {
      let name = "watson-eicker"
      let reference = "Watson, Watson, Batt 1980; Eicker"
      let spread = Watson().spread
      let bloodWater = BloodWater.perKilogramByDensity

      func totalBodyWater(of subject: Subject) throws(Problem) -> Litres {
        guard subject.sex == .female else {
          return try Watson().totalBodyWater(of: subject)
        }
        guard let age = subject.age?.value else {
          throw .missingMeasure("age_y", method: name)
        }
        let watson = try Watson().totalBodyWater(of: subject)
        return watson + Litres(2.097 + 0.203 - 0.07 * age)
      }
    }

    static let emma = Subject(id: "emma", sex: .female, age: 32, height: 1.55, weight: 42)
    static let paul = Subject(id: "paul", sex: .male, age: 34, height: 1.86, weight: 103)
    static let komathy = Subject(id: "komathy", sex: .female, age: 30, height: 1.73, weight: 80)
    static let tyrice = Subject(id: "tyrice", sex: .male, age: 30, height: 1.72, weight: 68)
    static let docMan = Subject(id: "doc-m", sex: .male, age: 32, height: 1.86, weight: 96)
    static let docWoman = Subject(id: "doc-f", sex: .female, age: 32, height: 1.62, weight: 48)

    /// Raise of g/kg by a drink. Tolerance: one in the last printed digit, since the numbers are cut
    /// off there, not rounded; those of the docstring are printed in full.
    @Test(arguments: [
      (emma, 500, 4.9, 0.5971369378, 1e-10),
      (emma, 100, 40, 0.9749174495, 1e-10),
      (paul, 500, 4.9, 0.2761707407, 1e-10),
      (paul, 100, 40, 0.4508910053, 1e-10),
      (docMan, 500, 4.9, 0.28773587455687716, 1e-15),
      (docWoman, 500, 4.9, 0.5480779730398769, 1e-15),
    ])
    func riseMatchesBoozelib(
      subject: Subject, millilitres: Double, percent: Double, expected: Double, tolerance: Double
    ) throws {
      let ethanol = EthanolDose.mass(Grams(millilitres * percent / 100 * 0.8))
      let dose = try #require(ethanol.perKilogram(ofBodyWeight: subject.weight))
      let r = try WatsonEicker().rFactor(for: subject)
      #expect(abs(dose.value / r.value - expected) < tolerance)
    }

    /// Boozelib's degradation is a rate per kg of body, 0.0025 g/kg/min, over 60 min and divided by r, so that it is
    /// another beta for everybody: 0.15 / r g/kg per h.
    @Test(arguments: [
      (emma, 0.191936872876), (paul, 0.217695813527), (komathy, 0.250505195262),
      (tyrice, 0.188987044034),
    ])
    func eliminationMatchesBoozelib(subject: Subject, expected: Double) throws {
      let r = try WatsonEicker().rFactor(for: subject)
      #expect(abs(0.0025 * 60 / r.value - expected) < 1e-12)
    }
  }
}
