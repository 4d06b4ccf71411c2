import AlcoholKinetics
import Estimation
import Population
import RealModule
import Statistics
import StudyData

/// Power of a study to show a covariate effect, by fitting simulated studies without and with it.
///
/// The fall of -2 ln L has a noncentral chi-squared distribution, whose noncentrality grows with
/// the number of people and whose mean is the noncentrality plus one. So a few studies of one size
/// predict the power of others (Ueckert, Karlsson & Hooker 2016, J Pharmacokinet Pharmacodyn
/// 43:223). Each round simulates the size that the last one suggests, and counts the power its
/// tests have.
struct EffectTrial {
  private let people: SimulatedPeople
  private let models: (without: PopulationModel, with: PopulationModel)
  private let start: [PopulationParameter: Double]
  private let jobs: Int
  /// The total number of series in the simulated studies of each round.
  var rounds = [600, 1200, 6000]

  /// The noncentrality at which the test has the target power.
  private static let targetNoncentrality: Double = {
    let sum =
      NormalScores.quantile(1 - PeoplePlan.alpha / 2) + NormalScores.quantile(PeoplePlan.power)
    return sum * sum
  }()
  /// The first number of people, and the fewest and most studies of a round.
  private static let (first, studies) = (24, 20...200)
  /// The fewest people of a simulated study.
  private static let fewest = 6

  init(
    _ covariate: PopulationModel.Covariate, _ people: SimulatedPeople, jobs: Int
  ) throws(SeriesFailure) {
    let prior = people.prior
    let estimate = people.options.estimate.union([.r]).union(covariate.kinetic.map { [$0] } ?? [])
    let subject = people.series[0].subject
    let random = estimate.sorted()
    var model = PopulationModel(
      prior.elimination, random: random.map(PopulationParameter.kinetic),
      occasional: people.occasions > 1
        ? random.filter(prior.isOccasional).map(PopulationParameter.kinetic) : [],
      error: ErrorModel(of: people.options.error, isEstimated: true),
      fixed: try prior.typicalValues(
        of: prior.elimination.parameters.subtracting(estimate), for: subject))
    model.selection.mouthAlcoholWindow = 0
    models.without = model
    model.covariates = [covariate]
    models.with = model
    start = Dictionary(
      uniqueKeysWithValues: try prior.typicalValues(of: estimate, for: subject).map {
        (PopulationParameter.kinetic($0), $1)
      })
    self.people = people
    self.jobs = jobs
  }

  /// Simulates studies of several sizes; returns their power and the number of people needed.
  func results() throws(SeriesFailure) -> ([PeoplePlan.Row], [PeoplePlan.Need]) {
    var rows: [PeoplePlan.Row] = []
    var size = Self.first
    var next = 0
    var need = PeoplePlan.Need(parameter: nil, people: nil, range: nil)
    for total in rounds {
      let count = min(
        max(total / size / self.people.occasions, Self.studies.lowerBound), Self.studies.upperBound)
      let begin = next
      let people = size
      let ends = try ParallelMap.map(Array(0..<count), jobs: jobs) {
      } _: { (_: Void, study) in
        fall(begin + study * people..<begin + (study + 1) * people)
      }
      next += count * size
      let falls = ends.compactMap { try? $0.get() }
      guard let sample = Sample(falls), let spread = sample.standardDeviation else {
        if case .failure(let failure) = ends[0] { throw failure }
        throw .badOptions("too few simulated studies of \(size) people can be fitted")
      }
      let shown = falls.count {
        LikelihoodRatio.pValue($0, numbers: 1, variances: 0).map { $0 <= PeoplePlan.alpha } ?? false
      }
      rows.removeAll { $0.people == size }
      rows.append(PeoplePlan.Row(people: size, shown: shown, of: count))
      let mean = sample.mean - 1
      let error = spread / Double(falls.count).squareRoot()
      func needed(_ noncentrality: Double) -> Int? {
        let needed = Double(people) * Self.targetNoncentrality / noncentrality
        return noncentrality > 0 && needed < 1e6 ? max(Self.fewest, Int(needed.rounded(.up))) : nil
      }
      let range = needed(mean + 1.96 * error).flatMap { low in
        needed(mean - 1.96 * error).map { low...$0 }
      }
      need = PeoplePlan.Need(
        parameter: nil, people: needed(mean).flatMap { $0 <= PeoplePlan.most ? $0 : nil },
        range: range)
      // Stop when even the lower limit exceeds the largest study planned for.
      guard let least = needed(mean + 1.96 * error), least <= PeoplePlan.most else { break }
      size = min(needed(mean) ?? PeoplePlan.most, 4 * size, PeoplePlan.most)
    }
    return (rows.sorted { $0.people < $1.people }, [need])
  }

  /// Simulates a study of the people with some numbers; returns the fall of -2 ln L.
  private func fall(_ numbers: Range<Int>) -> Result<Double, SeriesFailure> {
    Result { () throws(SeriesFailure) in
      let study = try people.measured(numbers)
      var options = PopulationFit.Options(starts: 1, isUncertaintyWanted: false)
      options.start = start
      do throws(Problem) {
        let without = try PopulationFit(study, model: models.without, options: options)
        let with = try PopulationFit(study, model: models.with, options: options)
        return try NestedFitsTest(without.likelihood, with.likelihood).fall
      } catch {
        throw .badOptions(error.description)
      }
    }
  }
}

extension PeoplePlan.Row {
  /// The power seen in `count` studies, `shown` of which show the effect.
  init(people: Int, shown: Int, of count: Int) {
    let share = Double(shown) / Double(count)
    self.init(
      parameter: nil, people: people, value: share,
      error: (max(share * (1 - share), 0.01) / Double(count)).squareRoot())
  }
}
