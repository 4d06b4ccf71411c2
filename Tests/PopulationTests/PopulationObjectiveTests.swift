import AlcoholKinetics
import Estimation
import StudyData
import TestSupport
import Testing

@testable import Population

/// Properties of the population likelihood for any study.
@Suite struct PopulationObjectiveTests {
  // MARK: Made-up subjects

  private static let ka = PopulationParameter.kinetic(.ka)
  private static let beta = PopulationParameter.kinetic(.beta)
  private static let r = PopulationParameter.kinetic(.r)

  /// Subjects who differ, each with two occasions, measured while there is alcohol to be seen and a little
  /// longer; one reading is below detection.
  private static func study(_ people: Int, occasions: Int = 1, seed: UInt64 = 5) throws -> [Series]
  {
    var generator = SeededGenerator(seed: seed)
    var all: [Series] = []
    for person in 0..<people {
      let subject = Subject(
        id: "p\(person)", sex: person % 2 == 0 ? .female : .male, age: 30, height: 1.7,
        weight: Kilograms(60 + 3 * Double(person)))
      let own = (0..<3).map { _ in 0.25 * generator.nearlyNormal() }
      for occasion in 0..<occasions {
        let shift = occasions > 1 ? 0.2 * generator.nearlyNormal() : 0
        let parameters = try ModelParameters(
          .widmark,
          [
            .ka: 3 * Yardstick.exp(own[0] + shift), .beta: 0.16 * Yardstick.exp(own[1]),
            .r: 0.65 * Yardstick.exp(own[2]),
          ])
        let drinks = [Drink(time: 0, ethanol: .perBodyWeight(0.6))]
        let times = [0.3, 0.7, 1.2, 2, 2.8, 3.6]
        let regimen = try Regimen(drinks, bodyWeight: nil)
        let curve = try parameters.curve(of: regimen)
        let readings = times.enumerated().map { index, time in
          let level = curve.concentration(at: Hours(time)).value + 0.02 * generator.nearlyNormal()
          return Reading(
            time: Hours(time), value: max(0.001, level), unit: .bloodGramsPerKilogram,
            limitOfDetection: index == 5 && person == 1 ? 0.5 : 0.0005)
        }
        all.append(
          Series(
            subject: subject, occasion: occasions > 1 ? "\(occasion)" : nil, drinks: drinks,
            readings: readings))
      }
    }
    return all
  }

  /// A model in which everything takes part.
  private static let rich = PopulationModel(
    random: [ka, beta, r], occasional: [ka], isFull: true,
    covariates: [
      .init(parameter: beta, name: "sex", form: .power),
      .init(parameter: r, name: "weight_kg", form: .power),
    ],
    error: .combined(nil))

  private static let richValues = PopulationValues(
    typical: [2.5, 0.15, 0.7].map(Yardstick.log), coefficients: [0.1, -0.2],
    // In the order k_a, beta, r.
    between: [0.09, 0.01, 0.02, 0.01, 0.04, -0.005, 0.02, -0.005, 0.03], within: [0.03], sd: 0.02,
    cv: 0.05)

  // MARK: Gradient

  @Test func gradientAgreesWithDifferences() throws {
    let model = Self.rich
    let people = try PopulationData(
      try Self.study(6, occasions: 2), instrument: nil, model, centers: nil, jobs: 1)
    #expect(people.all.count == 6 && people.leftOut.isEmpty)
    #expect(people.quantifiedCount < people.readingCount)
    let objective = PopulationObjective(
      data: people, model: model, options: PopulationFit.Options(), others: Self.richValues)
    let vector = people.coordinates.vector(Self.richValues)
    #expect(vector.count == people.coordinates.count)
    let found = try #require(objective.gradient(at: vector))
    #expect(agree(found.value, objective.value(at: vector), relative: 1e-12))
    for index in vector.indices {
      func value(_ change: Double) -> Double {
        var moved = vector
        moved[index] += change
        return objective.value(at: moved)
      }
      // Differences of fourth order: third derivatives are large.
      let slope =
        (8 * (value(1e-3) - value(-1e-3)) - (value(2e-3) - value(-2e-3))) / 12e-3
      #expect(
        abs(found.gradient[index] - slope) < 2e-5 * max(1, abs(slope)),
        "\(index): \(found.gradient[index]) \(slope)")
    }
  }

  /// A subject whose likeliest curve reaches zero just when the next drink begins has a usable slope. Differences
  /// across the kink gave slopes of millions, and the value jumped by 1 from side to side.
  @Test func modeInAKinkHasASlope() throws {
    let levels = [0.0315, 0, 0.1411, 0.1310, 0.1206, 0.0854, 0.0700, 0.0445, 0.0240, 0.0091]
    let series = Series(
      subject: Subject(id: "a", sex: .male, age: 29, height: 1.78, weight: 58.9),
      drinks: [
        Drink(time: 0, ethanol: .mass(9.8)), Drink(time: Hours(minutes: 35), ethanol: .mass(17.4)),
      ],
      readings: levels.enumerated().map { index, level in
        Reading(
          time: Hours(minutes: 20 * Double(index + 1)), value: level, unit: .bloodGramsPerKilogram)
      })
    let model = PopulationModel(random: [Self.ka, Self.beta, Self.r], error: .additive(sd: nil))
    let values = PopulationValues(
      typical: [3.9808, 0.14791, 0.65047].map(Yardstick.log), coefficients: [],
      between: [0.35228, 0, 0, 0, 0.028344, 0, 0, 0, 0.01375], sd: 0.01957)
    let people = try PopulationData([series], instrument: nil, model, centers: nil, jobs: 1)
    let objective = PopulationObjective(
      data: people, model: model, options: PopulationFit.Options(), others: values)
    let vector = people.coordinates.vector(values)
    let near = [[-1.07293, 0.22709, 0.25823]]
    let here = try #require(objective.gradient(at: vector, near: near))
    #expect(agree(here.value, objective.value(at: vector, near: near), relative: 1e-12))
    let prepared = try #require(people.coordinates.prepared(values, people.all, isNested: true))
    #expect(try #require(people.units[0].mode(prepared, near: near[0])).expectedDecrease > 1e-2)
    for index in vector.indices {
      func value(_ change: Double) -> Double {
        var moved = vector
        moved[index] += change
        return objective.value(at: moved, near: here.modes)
      }
      for change in [1e-6, 1e-5, 1e-4, 1e-3] {
        let difference = abs(value(change) - value(-change))
        #expect(difference < 0.6, "\(index): \(change) \(difference)")
      }
      let slope = (value(0.02) - value(-0.02)) / 0.04
      #expect(
        abs(here.gradient[index] - slope) < 30,
        "\(index): \(here.gradient[index]) \(slope)")
    }
  }

  @Test func coordinateVectorGivesValuesBack() throws {
    let coordinates = try Coordinates(Self.rich)
    let vector = coordinates.vector(Self.richValues)
    let values = coordinates.values(vector, from: Self.richValues)
    for (one, other) in zip(values.between, Self.richValues.between) {
      #expect(abs(one - other) < 1e-15)
    }
    #expect(agree(values.sd, 0.02, relative: 1e-14) && agree(values.cv, 0.05, relative: 1e-14))
    #expect(agree(values.within[0], 0.03, relative: 1e-14))
  }

  /// At the floor of a proportional error a jump of the slope would be one of the likelihood, whose approximation has
  /// it in a determinant.
  @Test func aProportionalErrorIsSmoothDownToZero() {
    let floor = ErrorModel.concentrationFloor
    func level(_ prediction: Double) -> (level: Double, slope: Double) {
      let alone = ObservationModel.level(of: prediction)
      let lanes = ObservationModel.variance(
        of: Lanes(repeating: prediction), sd: .zero, cv: Lanes(repeating: 1), isFloored: true)
      #expect(lanes.variance[0] == alone.level * alone.level)
      #expect(lanes.slope[0] == 2 * alone.level * alone.slope)
      return alone
    }
    #expect(level(0) == (floor, 0) && level(0.03) == (0.03, 1))
    for step in 0..<300 {
      let prediction = 1e-4 * Double(step)
      let (below, here, above) = (
        level(prediction - 1e-6), level(prediction), level(prediction + 1e-6)
      )
      #expect(abs((above.level - below.level) / 2e-6 - here.slope) < 1e-3)
      // The second derivative is 150 / (g/kg) at most.
      #expect(abs(above.slope - below.slope) < 2e-6 * 151)
    }
    let none = ObservationModel.variance(
      of: Lanes.zero, sd: Lanes(repeating: 3), cv: Lanes(repeating: 1), isFloored: false)
    #expect(none.variance[0] == 9 && none.slope[0] == 0)
  }

  /// If a curve reaches zero at a reading, the derivatives of the prediction end with it, not at once.
  @Test func aPredictionIsSmoothWhereACurveReachesZero() throws {
    let drink = Drink(time: 0, ethanol: .perBodyWeight(0.3))
    let series = Series(
      subject: Subject(id: "a"), drinks: [drink],
      readings: [Reading(time: 3, value: 0.03, unit: .bloodGramsPerKilogram)])
    let model = PopulationModel()
    let people = try PopulationData([series], instrument: nil, model, centers: nil, jobs: 1)
    let readings = try #require(people.all.first).occasions[0]
    func found(_ beta: Double) -> (value: Double, slope: Double) {
      let (values, derivatives) = readings.predictions(
        at: [5, beta, 0.65].map { Yardstick.log($0) })
      return (values[0], derivatives[0, 1])
    }
    // The curve reaches zero at the reading with beta 0.1538.
    var last = found(0.14)
    #expect(last.value > 0.04 && found(0.16) == (0, 0))
    for step in 1...200 {
      let next = found(0.14 + 1e-4 * Double(step))
      #expect(abs(next.slope - last.slope) < 0.05, "\(step)")
      #expect(next.value <= last.value)
      last = next
    }
  }

  // MARK: Fits

  @Test func fitIsAMinimumForAnyThreadCount() throws {
    let study = try Self.study(14)
    let model = PopulationModel(random: [Self.ka, Self.beta, Self.r])
    let one = try PopulationFit(study, model: model, options: .init(starts: 2, jobs: 1))
    let two = try PopulationFit(study, model: model, options: .init(starts: 2, jobs: 3))
    #expect(one.isConverged)
    #expect(one.values == two.values && one.objective == two.objective)
    let again = try PopulationFit(evaluating: one.values, of: study, model: model)
    #expect(agree(again.objective, one.objective, relative: 1e-9))
    for (place, value) in one.values.typical.enumerated() {
      for change in [-0.02, 0.02] {
        var moved = one.values
        moved.typical[place] = value + change
        let other = try PopulationFit(evaluating: moved, of: study, model: model)
        #expect(other.objective > one.objective)
      }
    }
    // The truth is within three standard errors.
    let errors = try #require(one.uncertainty).typical
    for (place, truth) in [3, 0.16, 0.65].enumerated() {
      let error = try #require(errors[place])
      #expect(abs(one.values.typical[place] - Yardstick.log(truth)) < 3 * error)
    }
  }

  /// All approximations of the integral agree if curves are nearly linear in the random effects.
  @Test func approximationsAgreeWhereSubjectsHardlyDiffer() throws {
    let study = try Self.study(5)
    let model = PopulationModel(random: [Self.beta, Self.r])
    var fixed = model
    fixed.fixed = [.ka: 3]
    let values = PopulationValues(
      typical: [0.16, 0.65].map(Yardstick.log), between: [1e-6, 0, 0, 1e-6], sd: 0.05)
    let objectives = try [PopulationMethod.foce, .focei, .laplace, .quadrature].map { method in
      try PopulationFit(
        evaluating: values, of: study, model: fixed, options: .init(method: method)
      ).objective
    }
    for objective in objectives { #expect(abs(objective - objectives[0]) < 1e-3) }
  }

  @Test func methodsRFactorCentresTheSubjectsR() throws {
    let study = try Self.study(4)
    let model = PopulationModel(random: [Self.ka, Self.beta, Self.r], rFactor: Widmark())
    let values = PopulationValues(
      typical: [Yardstick.log(3), Yardstick.log(0.16), 0],
      between: [0.04, 0, 0, 0, 0.04, 0, 0, 0, 0.01], sd: 0.02)
    let fit = try PopulationFit(evaluating: values, of: study, model: model)
    for (person, series) in zip(fit.individuals, study) {
      let r = try Widmark().rFactor(for: series.subject).value
      #expect(agree(person.values[2], r * Yardstick.exp(person.effects[2]), relative: 1e-12))
    }
  }

  @Test func subjectsWithoutFormulaAreLeftOut() throws {
    let model = PopulationModel(random: [Self.ka, Self.beta, Self.r], rFactor: Ulrich())
    let values = PopulationValues(
      typical: [Yardstick.log(3), Yardstick.log(0.16), 0],
      between: [0.04, 0, 0, 0, 0.04, 0, 0, 0, 0.01], sd: 0.02)
    let fit = try PopulationFit(evaluating: values, of: try Self.study(4), model: model)
    #expect(fit.individuals.map(\.subject) == ["p1", "p3"])
    #expect(fit.leftOut.map(\.subject) == ["p0", "p2"])
  }

  @Test func impossibleModelsAreRefused() throws {
    let study = try Self.study(3)
    func refusal(_ model: PopulationModel) -> String? {
      do throws(Problem) {
        _ = try PopulationFit(study, model: model)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(refusal(PopulationModel(random: [.clearance, Self.ka])) == "E_OPTION")
    #expect(refusal(PopulationModel(random: [.kinetic(.vmax)])) == "E_OPTION")
    #expect(
      refusal(
        PopulationModel(covariates: [.init(parameter: Self.ka, name: "shoe", form: .power)]))
        == "E_OPTION")
    #expect(refusal(PopulationModel(random: [])) == "E_OPTION")
  }

  // MARK: Tools

  @Test(arguments: [1, 2, 5, 9, 15]) func hermiteRulesIntegratePowers(_ count: Int) {
    let rule = HermiteRule.of(count)
    let root = Double.pi.squareRoot()
    for (power, expected) in [(0, root), (2, root / 2), (4, 0.75 * root)] where power < 2 * count {
      let sum = zip(rule.nodes, rule.logWeights).reduce(0.0) { sum, pair in
        sum + (0..<power).reduce(Yardstick.exp(pair.1)) { product, _ in product * pair.0 }
      }
      #expect(agree(sum, expected, relative: 1e-12))
    }
  }
}
