import AlcoholKinetics
import Testing

/// Properties of every r factor method, also of one that is added later.
@Suite struct KnownMethodsTests {
  /// A method and a sex it has a formula for.
  struct Formula: CustomTestStringConvertible {
    let method: any RFactorMethod
    let sex: Sex

    var testDescription: String { "\(method.name) \(sex)" }

    var isDefined: Bool {
      do throws(Problem) {
        _ = try method.rFactor(for: average)
        return true
      } catch {
        return error != .methodNotDefined(method.name, for: sex)
      }
    }

    var average: Subject { Adults.subject(sex, age: 35, height: 1.7, bodyMassIndex: 23) }

    static let all = RFactorMethods.known().flatMap { method in
      Sex.allCases.map { Formula(method: method, sex: $0) }.filter(\.isDefined)
    }
  }

  @Test(arguments: Formula.all)
  func rIsPositiveForEveryAdult(formula: Formula) throws {
    for subject in Adults.rows(formula.sex).joined() {
      let r = try formula.method.rFactor(for: subject)
      #expect(r.value.isFinite && r > 0, "\(subject.id)")
    }
  }

  @Test(arguments: Formula.all)
  func rIsPlausibleForPlausibleBodies(formula: Formula) throws {
    for height in stride(from: 1.55, through: 1.95, by: 0.1) {
      for index in stride(from: 19.0, through: 29, by: 2) {
        let subject = Adults.subject(formula.sex, age: 35, height: height, bodyMassIndex: index)
        let r = try formula.method.rFactor(for: subject)
        #expect(r > 0.4 && r < 0.9, "\(subject.id)")
      }
    }
  }

  /// A heavier body of the same height is a fatter one, and fat holds little water.
  ///
  /// By the formulas: Widmark's r does not depend on weight. Forrest's, Seidl's and Ulrich's are
  /// linear in it with a negative slope. The body-water methods have the form a + b / weight with
  /// b > 0 for every adult: for Hume and Weyers' women from 1.024 m on, for their men from 0.72 m.
  /// The average has both kinds of terms.
  @Test(arguments: Formula.all)
  func rFallsWithWeight(formula: Formula) throws {
    for row in Adults.rows(formula.sex) {
      let values = try row.map { try formula.method.rFactor(for: $0) }
      for (lighter, heavier) in zip(values, values.dropFirst()) {
        if formula.method is Widmark {
          #expect(heavier == lighter)
        } else {
          #expect(heavier < lighter, "\(row[0].id)")
        }
      }
    }
  }

  /// A method either does without a measure, and then its value does not depend on it, or it asks
  /// for it by its column.
  @Test(arguments: Formula.all)
  func methodsIgnoreAMeasureOrReportItMissing(formula: Formula) throws {
    let complete = formula.average
    let r = try formula.method.rFactor(for: complete)
    for column in ["sex", "age_y", "height_cm", "weight_kg"] {
      do throws(Problem) {
        #expect(try formula.method.rFactor(for: complete.without(column)) == r)
      } catch {
        #expect(error == .missingMeasure(column, method: formula.method.name))
      }
    }
  }

  @Test(arguments: Formula.all)
  func publishedRangeContainsAverageBody(formula: Formula) throws {
    guard let range = formula.method.publishedRange(for: formula.sex) else { return }
    #expect(range.contains(try formula.method.rFactor(for: formula.average)))
  }

  /// The only gap there is.
  @Test func everyMethodButUlrichHasAFormulaForBothSexes() {
    #expect(Formula.all.count == 2 * RFactorMethods.known().count - 1)
  }

  @Test func namesAreUniqueLowerCaseAndFound() throws {
    let names = RFactorMethods.known().map(\.name)
    #expect(Set(names).count == names.count)
    for name in names {
      #expect(name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil)
      #expect(RFactorMethods.named(name.uppercased())?.name == name)
    }
  }

  @Test func methodsOfNacarComeFirstAndKeepTheirOrder() {
    let compared = RFactorMethods.all().map(\.name)
    #expect(compared == ["widmark", "watson", "forrest", "seidl", "ulrich"])
    #expect(RFactorMethods.known().prefix(compared.count).map(\.name) == compared)
  }

  @Test func spreadsAndReferencesAreStated() {
    for method in RFactorMethods.known() {
      #expect(!method.reference.isEmpty, "\(method.name)")
      for sex in Sex.allCases {
        #expect((0.05...0.3).contains(method.spread.cv(of: sex)), "\(method.name)")
      }
      #expect(method.spread.cv(of: nil) == method.spread.men)
    }
    #expect(GivenRFactor(0.7).spread.cv(of: .female) == 0)
    #expect(ColumnRFactor("r").spread.cv(of: .male) == 0.14)
  }

  @Test func passesTheBloodWaterOnToEveryBodyWaterMethod() {
    for method in RFactorMethods.known(bloodWater: .perKilogram) {
      guard let method = method as? any BodyWaterMethod else { continue }
      #expect(method.bloodWater == .perKilogram, "\(method.name)")
    }
  }

  @Test func rIsInKilogramPerKilogram() throws {
    #expect(RFactor(0.5).description == "0.5 kg/kg")
  }
}

extension Subject {
  fileprivate func without(_ column: String) -> Subject {
    var subject = self
    switch column {
    case "sex": subject.sex = nil
    case "age_y": subject.age = nil
    case "height_cm": subject.height = nil
    default: subject.weight = nil
    }
    return subject
  }
}
