public import AlcoholKinetics
package import Estimation
import RealModule
public import StudyData

/// Fits of several models to the same readings, ranked by their likelihoods, and how sure the order is.
///
/// Models are ranked by Akaike's information criterion. Methods for r have equally many parameters and are thus ranked by
/// -2 ln L; an estimated r counts as one parameter more. Vuong's test (1989) compares each model with the first: its
/// statistic is the difference of the criteria over its standard error, from the differences of the subjects'
/// contributions. Resampling the contributions (RELL: Kishino, Miyata & Hasegawa 1990) shows how often each model is first.
package struct PopulationRanking: Sendable {
  /// The standing of a model.
  package enum Standing: String, CaseIterable, Codable, Sendable {
    /// It has the lowest criterion.
    case first
    /// It shares the lowest criterion with others, within the accuracy of the searches.
    case tied
    /// Its difference from the first may be chance.
    case indistinguishable
    /// It is worse than the first (p < 0.05).
    case worse
  }

  /// A ranked model.
  package struct Rank: Hashable, Sendable {
    /// The difference of its AIC from that of the first.
    package let behind: Double
    /// Vuong's statistic, the difference over its standard error; nil for the first, or without a standard error.
    package let z: Double?
    /// The two-sided p value of z, by Student's t with subjects (or studies) minus one degrees of freedom.
    package let pValue: Double?
    /// The fraction of resampled studies in which it is first.
    package let shareFirst: Double
    /// Its standing.
    package let standing: Standing
  }

  /// The models, in the order in which they were given.
  package let places: [Rank]

  /// The index of the model with the lowest criterion; among tied ones the choice is arbitrary.
  package let first: Int

  /// Criteria closer than this are tied: searches end up to a tenth of a standard error from their minima
  /// (``PopulationSearch/fairExpectedDecrease``).
  static let tie = 0.05

  /// Differences with a p value of at least this may be chance.
  package static let significance = 0.05

  /// Ranks fits; nil if there are fewer than two, or they are not of the same subjects and readings by the same method.
  package init?(_ fits: [PopulationFit], seed: UInt64 = 1) {
    guard fits.count > 1, let reference = fits.first,
      fits.allSatisfy({ $0.isComparable(to: reference) }),
      let best = fits.indices.min(by: { fits[$0].aic < fits[$1].aic })
    else { return nil }
    first = best
    let shares = Self.shares(fits, seed: seed)
    let areTied = fits.map { $0.aic - fits[best].aic < Self.tie }
    let hasTies = areTied.count { $0 } > 1
    places = fits.indices.map { index in
      let behind = fits[index].aic - fits[best].aic
      let test = index == best ? nil : Self.test(fits[index], fits[best], behind)
      let standing: Standing =
        areTied[index]
        ? (hasTies ? .tied : .first)
        : (test?.pValue ?? 1) < Self.significance ? .worse : .indistinguishable
      return Rank(
        behind: behind, z: test?.z, pValue: test?.pValue, shareFirst: shares[index],
        standing: standing)
    }
  }

  /// Vuong's statistic and its p value; nil where no unit differs, or there is one alone.
  private static func test(
    _ fit: PopulationFit, _ best: PopulationFit, _ behind: Double
  ) -> (z: Double, pValue: Double)? {
    let differences = zip(fit.contributions, best.contributions).map { $0 - $1 }
    let count = Double(differences.count)
    guard let sample = Sample(differences), let deviation = sample.standardDeviation,
      deviation > 1e-9 * Swift.max(1, sample.meanMagnitude)
    else { return nil }
    let z = behind / (deviation * count.squareRoot())
    return SmallSampleCorrection(differences.count, means: 1).pValue(z).map { (z, $0) }
  }

  /// The fraction of resampled studies in which each fit has the lowest criterion; tied fits share a study.
  private static func shares(_ fits: [PopulationFit], seed: UInt64) -> [Double] {
    let count = fits.first?.contributions.count ?? 0
    // Many subjects need fewer replicates: the first model is hardly in doubt there.
    let draws = Swift.max(200, Swift.min(10_000, 50_000_000 / Swift.max(1, count * fits.count)))
    var stream = RandomStream(seed)
    var firsts = fits.map { _ in 0.0 }
    for _ in 0..<draws {
      var sums = fits.map { 2 * Double($0.estimatedCount) }
      for _ in 0..<count {
        let drawn = Swift.min(count - 1, Int(stream.uniform() * Double(count)))
        for (index, fit) in fits.enumerated() { sums[index] += fit.contributions[drawn] }
      }
      let least = sums.min() ?? 0
      let tied = sums.indices.filter { sums[$0] - least < tie }
      for index in tied { firsts[index] += 1 / Double(tied.count) }
    }
    return firsts.map { $0 / Double(draws) }
  }
}

extension PopulationFit {
  /// Whether two fits are of the same subjects and readings, by the same method.
  fileprivate func isComparable(to other: PopulationFit) -> Bool {
    method == other.method && quantifiedCount == other.quantifiedCount
      && contributions.count == other.contributions.count
      && contributions.allSatisfy(\.isFinite)
      && zip(individuals, other.individuals).allSatisfy {
        $0.subject == $1.subject && $0.readings == $1.readings
      }
      && individuals.count == other.individuals.count && seriesCount == other.seriesCount
  }
}

/// The series of a study that several models can all use: only there can their likelihoods be compared.
public struct CommonSeries: Sendable {
  /// The series.
  public let series: [Series]
  /// The compared models by name, and the series left out for them.
  package let ranking: RankedMethods
  /// The indices of the compared models.
  public let models: [Int]
  /// The series left out of all fits, by the index of the first model that cannot use them.
  public let leftOut: [Int: [LeftOutSeries]]

  /// Selects the series.
  ///
  /// - `models`: The models with their names.
  /// - `requiresAllMethods`: Whether all models are compared, even if few subjects remain: see
  ///   `RankedMethods`.
  /// - Throws: `Problem`.
  public init(
    _ study: [Series], instrument: Instrument?, _ models: [(name: String, model: PopulationModel)],
    requiresAllMethods: Bool = true, jobs: Int = 1
  ) throws(Problem) {
    // The reasons by subject and occasion.
    let reasons = try models.map { _, model throws(Problem) in
      Dictionary(
        try PopulationData(study, instrument: instrument, model, centers: nil, jobs: jobs)
          .leftOut.map { ([$0.subject, $0.occasion], $0) }
      ) { first, _ in first }
    }
    let keys = study.map { [$0.subject.id, $0.occasion] }
    ranking = RankedMethods(
      zip(models, reasons).map { model, reasons in
        RankedMethods.Candidate(
          model.name, isUsable: keys.map { reasons[$0] == nil },
          isUndefined: reasons.values.contains { $0.code == "N_R_NOT_DEFINED" })
      }, of: study.map { RankedMethods.Unit(subject: $0.subject.id) },
      requiresAllMethods: requiresAllMethods)
    let ranked = ranking.methods.isEmpty ? models.map(\.name) : ranking.methods
    self.models = models.indices.filter { ranked.contains(models[$0].name) }
    series = ranking.series.map { study[$0] }
    // Each series is listed once, with the first reason.
    let common = Set(ranking.series)
    var leftOut: [Int: [LeftOutSeries]] = [:]
    for index in study.indices where !common.contains(index) {
      let first = self.models.first { reasons[$0][keys[index]] != nil }
      guard let first, let reason = reasons[first][keys[index]] else { continue }
      leftOut[first, default: []].append(reason)
    }
    self.leftOut = leftOut
  }
}

extension PopulationFit {
  /// A copy that lists further series as left out.
  public func leavingOut(_ series: [LeftOutSeries]) -> PopulationFit {
    var fit = self
    fit.leftOut += series
    for leftOut in series { fit.uses.merge(leftOut.uses) { $0 + $1 } }
    return fit
  }
}
