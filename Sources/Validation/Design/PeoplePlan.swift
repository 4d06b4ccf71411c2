package import AlcoholKinetics
package import Estimation
package import Population
import RealModule
import Statistics
package import StudyData

/// The number of people a study needs, by simulation: simulated people are measured and evaluated
/// as in the real study.
///
/// Measures and drinks are those of a study's subjects, parameters are drawn from a prior, with
/// between-subject and between-occasion variability. People are measured at the planned times. For
/// typical values and methods a pool is fitted or predicted once; studies of each size are drawn
/// from it without replacement and evaluated as a real one (``ParameterSummary``'s distribution or
/// ``MethodPair``'s test). For an effect every study is of new people and fitted as a population,
/// without and with it.
package struct PeoplePlan: Sendable {
  /// The purpose of a study.
  package enum Aim: Sendable {
    /// To estimate typical values with at most this relative standard error.
    case typical(relativeError: Double)
    /// To show that the first method predicts concentrations better than the second, if people's r is
    /// that of the first with its published variation.
    case distinguish(any RFactorMethod, from: any RFactorMethod)
    /// To show an effect of a covariate by the likelihood ratio of population fits. `ratio` is that of
    /// typical values: women to men, fed to fasted, or for a doubled number. For food, every other
    /// occasion is after a meal.
    case effect(PopulationModel.Covariate, ratio: Double)
  }

  /// The precision or power of simulated studies of one size.
  package struct Row: Sendable {
    /// The parameter; nil of two methods and of an effect.
    package let parameter: FitParameter?
    package let people: Int
    /// The relative standard error of the typical value, or the power.
    package let value: Double
    /// The Monte Carlo standard error of that.
    package let error: Double
  }

  /// The number of people needed.
  package struct Need: Sendable {
    /// The parameter; nil of two methods and of an effect.
    package let parameter: FitParameter?
    /// Nil if more are needed than were tried.
    package let people: Int?
    /// The 95 % Monte Carlo interval of the number.
    package let range: ClosedRange<Int>?
  }

  /// The target power and the significance level.
  package static let (power, alpha) = (0.8, 0.05)
  /// The number of people in the pool.
  package static let pool = 1000
  /// The number of studies drawn of each size.
  package static let studies = 500
  /// The most people that a study is planned for.
  package static let most = 400

  package let aim: Aim
  /// The number of occasions on which everybody is measured.
  package let occasions: Int
  /// The times of readings, in min since the first drink.
  package let minutes: [Double]
  package let rows: [Row]
  package let needs: [Need]

  /// Simulates studies of several sizes.
  ///
  /// - `series`: The series that measures and drinks are taken from, in turn.
  /// - `prior`: The distribution of people's parameters.
  /// - `minutes`: The times of readings since the first drink.
  /// - `occasions`: The number of occasions of each person.
  /// - `options`: The error model and the estimated parameters.
  package init(
    _ aim: Aim, for series: [Series], prior: PopulationPrior, at minutes: [Double],
    occasions: Int = 1, options: SamplingOptions, jobs: Int = 1
  ) throws(SeriesFailure) {
    self.aim = aim
    self.minutes = minutes
    self.occasions = occasions
    let people = try SimulatedPeople(aim, series, prior, minutes, occasions, options)
    let sizes = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, Self.most]
    switch aim {
    case .typical(let goal):
      let fit = try people.cases(0)[0].fitOptions(options)
      let estimates = try Self.estimates(
        of: people.measured(0..<Self.pool), by: fit, jobs: jobs)
      let tried = sizes.filter { $0 >= 6 && $0 <= 96 }
      let precisions = estimates.flatMap { parameter, values in
        let sampler = Sampler(count: values.count, seed: options.seed)
        return tried.filter { $0 <= values.count }.compactMap { size in
          sampler.relativeError(of: values, parameter, people: size)
        }
      }
      guard !precisions.isEmpty else {
        throw .badOptions("readings at these times tell nothing of people; choose other times")
      }
      rows = precisions
      needs = estimates.map(\.0).map { parameter in
        Need(parameter, precisions.filter { $0.parameter == parameter }, goal: goal)
      }
    case .distinguish(let first, let second):
      let study = Study(name: "simulated", series: try people.measured(0..<Self.pool))
      let values = try prior.typicalValues(
        of: prior.elimination.parameters.subtracting([.r, .gain]), for: series[0].subject)
      let scores = try Scorer(
        PredictionOptions(
          parameters: .given(values), methods: [first, second], model: prior.elimination),
        withIntervals: false
      ).scores(of: study, jobs: jobs)
      let (ranking, compared) = RankedMethods.ranked(
        scores, requiresAllMethods: true, MethodOutcome.init(ofCurve:))
      let differences = MethodErrors(.concentration, of: compared, sex: nil, ranking)
        .differences(first.name, second.name)
      guard differences.count >= sizes[0] else {
        throw .badOptions(
          "\(first.name) and \(second.name) have no predictions of the same people to compare")
      }
      let sampler = Sampler(count: differences.count, seed: options.seed)
      rows = sizes.filter { $0 <= differences.count }.map { sampler.power(differences, people: $0) }
      needs = [Need(rows)]
    case .effect(let covariate, _):
      (rows, needs) = try EffectTrial(covariate, people, jobs: jobs).results()
    }
  }

  /// Fits everybody; returns the censored estimates of each parameter.
  private static func estimates(
    of measured: [Series], by options: FitOptions, jobs: Int
  ) throws(SeriesFailure) -> [(FitParameter, [CensoredValue])] {
    var options = options
    // Fits of a real study do not know the true values of the other parameters.
    options.fixed = [:]
    let fits = try StudyFit.fits(
      of: Study(name: "simulated", series: measured), options: options, jobs: jobs)
    return ParameterSummary.summaries(of: fits, level: options.interval?.level ?? 0.95)
      .map { ($0.parameter, $0.subjects) }
  }
}

/// Draws studies from a pool of people.
private struct Sampler {
  let count: Int
  let seed: UInt64

  /// Draws studies of a size, people by their indices in the pool, without replacement.
  private func studies<Value>(_ people: Int, _ judge: ([Int]) -> Value) -> [Value] {
    var numbers = RandomStream(seed, UInt64(people), 0x7374_7564_79)
    var indices = Array(0..<count)
    return (0..<PeoplePlan.studies).map { _ in
      // A partial Fisher-Yates shuffle.
      for index in 0..<min(people, count) {
        indices.swapAt(index, index + Int(numbers.uniform() * Double(count - index)))
      }
      return judge(Array(indices.prefix(people)))
    }
  }

  func power(_ differences: [Double], people: Int) -> PeoplePlan.Row {
    let shown = studies(people) { indices -> Bool in
      guard let sample = DifferenceSample(indices.map { differences[$0] }),
        let p = sample.wilcoxonP
      else { return false }
      return p <= PeoplePlan.alpha && sample.mean < 0
    }
    return PeoplePlan.Row(
      people: people, shown: shown.count(where: \.self), of: shown.count)
  }

  func relativeError(
    of values: [CensoredValue], _ parameter: FitParameter, people: Int
  ) -> PeoplePlan.Row? {
    let means = studies(people) { indices in
      CensoredNormal(indices.map { values[$0] })?.mean
    }.compactMap(\.self)
    guard let sample = Sample(means), let spread = sample.standardDeviation else { return nil }
    let scale = parameter.isLogarithmic ? 1 : 1 / max(abs(sample.mean), 1e-6)
    // The variance of an SD from the number of studies, and from the finite pool they share.
    let share = 1 / Double(2 * means.count) + 1 / Double(2 * count)
    return PeoplePlan.Row(
      parameter: parameter, people: people, value: spread * scale,
      error: spread * scale * share.squareRoot())
  }
}

extension PeoplePlan.Need {
  /// The number of people for a relative standard error, which falls with the root of that number.
  fileprivate init(_ parameter: FitParameter, _ rows: [PeoplePlan.Row], goal: Double) {
    self.parameter = parameter
    let ofOne = rows.map { $0.value * Double($0.people).squareRoot() }
    guard let root = Sample(ofOne)?.median, root > 0, let row = rows.first else {
      people = nil
      range = nil
      return
    }
    let error = row.error / row.value
    func count(_ factor: Double) -> Int {
      max(2, Int(min(1e6, (root * factor / goal) * (root * factor / goal)).rounded(.up)))
    }
    let needed = count(1)
    people = needed <= PeoplePlan.most ? needed : nil
    range = count(max(0, 1 - 1.96 * error))...count(1 + 1.96 * error)
  }

  /// The number of people at which the power reaches its target, by linear interpolation between sizes.
  fileprivate init(_ rows: [PeoplePlan.Row]) {
    parameter = nil
    func passing(_ deviations: Double) -> Int? {
      var before: (people: Double, power: Double) = (0, 0)
      for row in rows {
        let power = row.value + deviations * row.error
        if power >= PeoplePlan.power {
          let share = (PeoplePlan.power - before.power) / max(power - before.power, 1e-9)
          return Int((before.people + share * (Double(row.people) - before.people)).rounded(.up))
        }
        before = (Double(row.people), power)
      }
      return nil
    }
    people = passing(0)
    range = passing(1.96).flatMap { low in passing(-1.96).map { min(low, $0)...max(low, $0) } }
  }
}
