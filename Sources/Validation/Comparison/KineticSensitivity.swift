package import AlcoholKinetics
package import Estimation
package import StudyData

/// Sensitivity of a comparison to kinetic parameters: errors of all methods with other kinetic
/// parameters than those asked for. A method is called better only if it is so with all of them.
/// Predictions of given models do not change.
///
/// The others are the kinetic parameters of all other subjects' fits
/// (``PredictionParameters/leftOut(starts:)``) and the points of a range.
package struct KineticSensitivity: Codable, Hashable, Sendable {
  package let range: KineticRange
  /// The number of subjects whose fits gave the left-out kinetic parameters: the most of any
  /// method.
  package let fittedSubjects: Int
  /// The number of subjects in the study.
  package let subjects: Int

  /// The most subjects to fit. The median of so many is known to 2 to 3 %, where subjects vary by
  /// 60 %, so that more would not change it materially.
  private static let mostFitted = 1000
  /// The quantities whose errors are known exactly.
  private static let exactQuantities = ComparedQuantity.ofCurves.filter { $0 != .sobriety }

  /// Mean absolute errors by quantity, method and subject, with each choice of kinetic parameters,
  /// left-out ones first; NaN where there is no error.
  private let means: [[ComparedQuantity: [[Double]]]]
  private let sexes: [Sex?]
  /// The index of each method.
  private let methods: [String: Int]

  /// Predicts a study with other kinetic parameters.
  ///
  /// - `scores`: Its scores with the kinetic parameters asked for. If those are left-out ones, they
  ///   are reused instead of fitted again.
  /// - `range`: The range; nil for the plausible one of the model.
  package init(
    of study: Study, _ scores: [Score], options: PredictionOptions, range: KineticRange? = nil,
    jobs: Int = 1
  ) throws(SeriesFailure) {
    let range = range ?? .plausible(options.model)
    self.range = range
    let seriesOfSubjects = study.series.indices.grouped { study.series[$0].subject.id }
      .map(\.values)
    sexes = seriesOfSubjects.map { study.series[$0[0]].subject.sex }
    subjects = sexes.count
    let names = options.names
    methods = Dictionary(
      zip(names, names.indices).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
    func kinetics(_ parameters: PredictionParameters) throws(SeriesFailure) -> Kinetics {
      var options = options
      options.parameters = parameters
      return try Kinetics(options, of: study, fitting: Self.mostFitted, jobs: jobs)
    }
    let rows = { @Sendable (errors: [Errors]) in
      stride(from: 0, to: errors.count, by: max(1, names.count)).map {
        Array(errors[$0..<$0 + names.count])
      }
    }
    let leftOut: Kinetics? =
      switch options.parameters {
      case .leftOut: nil
      case .fitted(let starts): try kinetics(.leftOut(starts: starts))
      case .given: try kinetics(.leftOut(starts: StartDesign.defaultCount))
      }
    fittedSubjects = leftOut?.fittedSubjects ?? subjects
    let choices = [leftOut].compactMap(\.self) + (try range.points.map(kinetics))
    let scorer = try Scorer(options, withIntervals: false)
    let tried = try ParallelMap.map(study.series, jobs: jobs) {
    } _: { (_: Void, series) in
      rows(
        scorer.scores(
          of: series, study.instrument,
          choices.map { $0.parameters(of: series, study.instrument, []) }
        ).map(Errors.init))
    }
    let outcomes =
      (leftOut == nil ? [rows(scores.map(Errors.init))] : [])
      + choices.indices.map { choice in tried.map { $0[choice] } }
    let isGiven = names.indices.map { $0 < options.models.count }
    means = outcomes.map { Self.means($0, of: study.series, seriesOfSubjects, isGiven: isGiven) }
  }

  /// The errors of one score.
  private struct Errors {
    /// Sums of errors by quantity.
    let totals: [ComparedQuantity: ErrorTotals]
    /// The error of the time to sobriety; nil if nothing is known of it.
    let time: SobrietyError?

    init(_ score: Score) {
      totals = Dictionary(
        uniqueKeysWithValues: KineticSensitivity.exactQuantities.map {
          ($0, ErrorTotals(of: $0.errors(of: score)))
        })
      time = score.error
    }
  }

  /// Returns the mean absolute errors of each subject over its series.
  private static func means(
    _ known: [[Errors]], of series: [Series], _ seriesOfSubjects: [[Int]], isGiven: [Bool]
  ) -> [ComparedQuantity: [[Double]]] {
    func means(_ totals: (_ series: Int, _ method: Int) -> ErrorTotals?) -> [[Double]] {
      isGiven.indices.map { method in
        seriesOfSubjects.map { series in
          // NaN (0 / 0) for a subject without errors.
          series.reduce(into: ErrorTotals()) { $0 += totals($1, method) ?? ErrorTotals() }.mae
        }
      }
    }
    let expected = ExpectedTimeErrors.magnitudes(
      known.map { $0.map(\.time) }, isGiven: known.map { _ in isGiven }, of: series)
    var all: [ComparedQuantity: [[Double]]] = [:]
    for quantity in exactQuantities { all[quantity] = means { known[$0][$1].totals[quantity] } }
    all[.sobriety] = means { expected[$0][$1].map { ErrorTotals(of: [$0]) } }
    return all
  }

  /// Returns the subjects' differences of mean absolute errors, first method minus second, with
  /// each choice of kinetic parameters, left-out ones first.
  func differences(
    _ first: String, _ second: String, in quantity: ComparedQuantity, sex: Sex?
  ) -> [[Double]] {
    guard let first = methods[first], let second = methods[second] else { return [] }
    let chosen = sexes.indices.filter { sex == nil || sexes[$0] == sex }
    return means.map { means in
      guard let means = means[quantity] else { return [] }
      return chosen.map { means[first][$0] - means[second][$0] }.filter { !$0.isNaN }
    }
  }
}

extension Study {
  /// Returns at most so many subjects, evenly spaced in the order of their names, so that the
  /// result does not depend on the order of the study.
  func evenlySampled(most: Int) -> Study {
    let names = Set(series.map(\.subject.id)).sorted()
    guard names.count > most else { return self }
    let chosen = Set((0..<most).map { names[$0 * names.count / most] })
    var some = self
    some.series = series.filter { chosen.contains($0.subject.id) }
    return some
  }
}

/// A range of absorption and elimination parameters over which a method has to predict better
/// before it is called so.
///
/// Which of two methods looks better depends on the kinetic parameters that both predict with: if
/// beta is too large, the method with the smaller r compensates for it. A verdict on methods must
/// not depend on that.
package struct KineticRange: Codable, Hashable, Sendable {
  /// Positive values of each parameter, in its unit.
  package let ranges: [FitParameter: ClosedRange<Double>]

  /// The range for a model: k_a 1-20 /h and beta 0.10-0.25 g/kg/h, which covers nearly all
  /// drinkers: beta of 95 % of subjects is 0.085-0.275 g/kg/h (Jones and Andersson 1996). For other
  /// parameters, of which less is known, the full range of starting values.
  package static func plausible(_ model: EliminationModel) -> KineticRange {
    let published = KineticRange(ka: 1...20, beta: 0.10...0.25).ranges
    return KineticRange(
      Dictionary(
        uniqueKeysWithValues: model.defaultEstimate.map {
          ($0, published[$0] ?? $0.traits.startRange)
        })
    )
  }

  /// Creates ranges of positive values for Widmark's model.
  package init(ka: ClosedRange<PerHour>, beta: ClosedRange<GramsPerKilogramHour>) {
    self.init([
      .ka: ka.lowerBound.value...ka.upperBound.value,
      .beta: beta.lowerBound.value...beta.upperBound.value,
    ])
  }

  /// Creates ranges of positive values.
  package init(_ ranges: [FitParameter: ClosedRange<Double>]) {
    self.ranges = ranges
  }

  /// The geometric centre of the ranges.
  package var middle: [FitParameter: Double] {
    ranges.mapValues { ($0.lowerBound * $0.upperBound).squareRoot() }
  }

  /// The corners and the centre of the ranges.
  var points: [PredictionParameters] {
    let corners = ranges.sorted { $0.key < $1.key }.reduce([[:]]) { corners, side in
      corners.flatMap { corner in
        [side.value.lowerBound, side.value.upperBound].map { end in
          corner.merging([side.key: end]) { _, new in new }
        }
      }
    }
    return (corners + [middle]).map(PredictionParameters.given)
  }
}
