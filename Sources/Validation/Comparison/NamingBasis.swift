import AlcoholKinetics
public import Estimation
public import StudyData

/// How methods do with other kinetic parameters than those that were asked for: what is needed to call one
/// of them better. Given models predict the same with any.
///
/// Those are the kinetic parameters of all other subjects' fits (``PredictionParameters/leftOut(starts:)``),
/// and the points of a range.
public struct NamingBasis: Codable, Hashable, Sendable {
  public let range: KineticRange
  /// How many subjects' fits gave the left-out kinetic parameters: the most of any method.
  public let fittedSubjects: Int
  /// Of how many subjects the study is.
  public let subjects: Int

  /// The most subjects that are fitted. A median over more of them does not move enough to matter: over
  /// so many it is known to 2 to 3 %, where subjects differ by 60 %.
  static let mostFitted = 1000

  /// The errors with each choice of kinetic parameters; those with left-out ones first.
  private let choices: [Choice]
  private let sexes: [Sex?]
  /// Where each method stands.
  private let methods: [String: Int]

  /// Mean absolute errors with one choice of kinetic parameters by quantity, method and subject; NaN where there is no
  /// error.
  fileprivate struct Choice: Codable, Hashable {
    var means: [ComparedQuantity: [[Double]]]
  }

  /// Predicts a study with them.
  ///
  /// - `comparisons`: Its comparisons with the kinetic parameters that were asked for. If those are left-out
  ///   ones, they are taken, and nobody is fitted again.
  /// - `range`: The range; nil for the plausible one of the model.
  public init(
    of study: Study, _ comparisons: [Comparison], options: PredictionOptions,
    range: KineticRange? = nil, jobs: Int = 1
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

    let leftOut: [[Result<ModelParameters, SeriesFailure>]]
    if case .leftOut = options.parameters {
      fittedSubjects = sexes.count
      leftOut = names.indices.dropFirst(options.models.count).map { method in
        stride(from: method, to: comparisons.count, by: names.count).map {
          let comparison = comparisons[$0]
          return comparison.parameters.map(Result.success)
            ?? .failure(comparison.failure ?? .curveMissing)
        }
      }
    } else {
      (leftOut, fittedSubjects) = try Self.leftOut(of: study, options, jobs)
    }
    let parameters =
      [leftOut]
      + (try range.points.map { point throws(SeriesFailure) in
        try point.resolved(for: study, options, jobs: jobs)
      })
    let known = try Comparison.map(study, options, parameters, jobs: jobs) { choices in
      choices.map { $0.map(SeriesOutcome.init) }
    }
    choices = parameters.indices.map { choice in
      Choice(
        known.map { $0[choice] }, of: study.series, seriesOfSubjects,
        isGiven: names.indices.map { $0 < options.models.count })
    }
  }

  /// The left-out parameters for each method and series, and how many subjects' fits gave them.
  private static func leftOut(
    of study: Study, _ options: PredictionOptions, _ jobs: Int
  ) throws(SeriesFailure) -> ([[Result<ModelParameters, SeriesFailure>]], subjects: Int) {
    let fitted = study.evenly(most: mostFitted)
    let starts =
      if case .fitted(let starts) = options.parameters { starts } else { StartDesign.defaultCount }
    let kinetics = try options.methods.map { method throws(SeriesFailure) in
      LeftOutKinetics(
        of: try PredictionParameters.fits(of: fitted, method, options, starts, jobs))
    }
    return (
      zip(options.methods, kinetics).map { $1.parameters(of: study, options.model, by: $0) },
      kinetics.map(\.subjects).max() ?? 0
    )
  }

  /// The subjects' differences of mean absolute errors, the first method's minus the second's, with each choice of
  /// kinetic parameters; those with left-out ones first.
  func differences(
    _ first: String, _ second: String, in quantity: ComparedQuantity, sex: Sex?
  ) -> [[Double]] {
    guard let first = methods[first], let second = methods[second] else { return [] }
    let chosen = sexes.indices.filter { sex == nil || sexes[$0] == sex }
    return choices.map { choice in
      guard let means = choice.means[quantity] else { return [] }
      return chosen.map { means[first][$0] - means[second][$0] }.filter { !$0.isNaN }
    }
  }
}

/// What one prediction of a series comes to.
private struct SeriesOutcome {
  /// Sums of errors by quantity.
  let totals: [ComparedQuantity: ErrorTotals]
  /// The error of the time to sobriety; nil if nothing is known of it.
  let time: SobrietyError?

  init(_ comparison: Comparison) {
    totals = Dictionary(
      uniqueKeysWithValues: NamingBasis.exactQuantities.map {
        ($0, ErrorTotals(of: $0.errors(of: comparison)))
      })
    time = comparison.sobriety.error
  }
}

extension NamingBasis {
  /// What errors are known of exactly.
  fileprivate static let exactQuantities = ComparedQuantity.ofCurves.filter { $0 != .sobriety }
}

extension NamingBasis.Choice {
  /// Adds up the errors of each subject's series.
  fileprivate init(
    _ known: [[SeriesOutcome]], of series: [Series], _ seriesOfSubjects: [[Int]],
    isGiven: [Bool]
  ) {
    func means(_ totals: (_ series: Int, _ method: Int) -> ErrorTotals?) -> [[Double]] {
      isGiven.indices.map { method in
        seriesOfSubjects.map { series in
          // Without errors it is 0 / 0.
          series.reduce(into: ErrorTotals()) { $0 += totals($1, method) ?? ErrorTotals() }.mae
        }
      }
    }
    self.means = Dictionary(
      uniqueKeysWithValues: NamingBasis.exactQuantities.map { quantity in
        (quantity, means { known[$0][$1].totals[quantity] })
      })
    let expected = ExpectedTimeErrors.magnitudes(
      known.map { $0.map(\.time) }, isGiven: known.map { _ in isGiven }, of: series)
    self.means[.sobriety] = means { expected[$0][$1].map { ErrorTotals(of: [$0]) } }
  }
}

extension Study {
  /// The study with at most so many subjects, evenly from the order of their names, so that the order of the study
  /// does not matter.
  func evenly(most: Int) -> Study {
    let names = Set(series.map(\.subject.id)).sorted()
    guard names.count > most else { return self }
    let chosen = Set((0..<most).map { names[$0 * names.count / most] })
    var some = self
    some.series = series.filter { chosen.contains($0.subject.id) }
    return some
  }
}
