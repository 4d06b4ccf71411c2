public import AlcoholKinetics
package import Estimation
import RealModule
package import StudyData

/// The source of the parameters of absorption and elimination of a prediction: k_a and beta with
/// Widmark's model. r always comes from the r-factor method.
public enum PredictionParameters: Codable, Hashable, Sendable {
  /// Fixed values for everybody, in the parameters' units; missing ones are typical
  /// (``PredictionOptions/typical``).
  case given([FitParameter: Double])
  /// Each series' own fit with r fixed to the method's.
  ///
  /// k_a and beta are fitted anew to the same readings for each r, and compensate for much of its
  /// error. This measures how well curves with that r can describe the readings, not how well they
  /// predict; for that use ``leftOut(starts:)``.
  case fitted(starts: Int)
  /// The median of all other subjects' fits: a prediction without measurements of this subject.
  ///
  /// A subject counts once, by the mean of the logarithms over its series. A fit at a limit of the
  /// search counts as beyond all others: if absorption was not sampled, k_a runs to that limit, and
  /// would dominate a mean. Fits that did not converge are left out.
  case leftOut(starts: Int)

  /// Typical values for everybody: ``PredictionOptions/typical``.
  public static let typical = PredictionParameters.given([:])

  /// Fixed values of Widmark's model for everybody.
  public static func given(ka: PerHour, beta: GramsPerKilogramHour) -> PredictionParameters {
    .given([.ka: ka.value, .beta: beta.value])
  }
}

/// The parameters that each method predicts a series with, and what threads need to fit it.
package struct Kinetics: Sendable {
  /// A fitter for each method; none unless series are fitted.
  package typealias Fitters = [Result<SeriesFitter, SeriesFailure>]

  private enum Source {
    /// The parameters with a placeholder r, shared by subjects of one food intake and sex.
    case given([TypicalKinetics: [Sex?: Result<ModelParameters, Problem>]])
    case fitted([FitOptions])
    case leftOut([LeftOutKinetics])
  }

  private let options: PredictionOptions
  private let source: Source
  /// The number of subjects whose fits gave left-out parameters: the most of any method.
  let fittedSubjects: Int

  /// Prepares parameters; fits the study if they are left-out ones.
  ///
  /// - Parameters:
  ///   - study: The study to predict; nil if series arrive one at a time.
  ///   - most: The most subjects to fit.
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if there is no start, or a study is needed and there is none.
  package init(
    _ options: PredictionOptions, of study: Study? = nil, fitting most: Int = .max, jobs: Int = 1
  ) throws(SeriesFailure) {
    self.options = options
    switch options.parameters {
    case .given(let values):
      var shared: [TypicalKinetics: [Sex?: Result<ModelParameters, Problem>]] = [:]
      for typical in TypicalKinetics.allCases {
        for sex in ([nil] + Sex.allCases) as [Sex?] {
          var values = typical.values(of: options.model, for: sex, given: values)
          values[.r] = 1
          shared[typical, default: [:]][sex] = Result { [values] () throws(Problem) in
            try ModelParameters(options.model, values)
          }
        }
      }
      source = .given(shared)
      fittedSubjects = 0
    case .fitted(let starts):
      let fits = options.methods.map { options.fit(by: $0, starts) }
      for fit in fits { try fit.check() }
      source = .fitted(fits)
      fittedSubjects = 0
    case .leftOut(let starts):
      guard let study = study?.evenlySampled(most: most) else {
        throw .badOptions("the median of all other subjects' fits needs the whole study")
      }
      let medians = try options.methods.map { method throws(SeriesFailure) in
        LeftOutKinetics(
          of: try StudyFit.fits(of: study, options: options.fit(by: method, starts), jobs: jobs))
      }
      source = .leftOut(medians)
      fittedSubjects = medians.map(\.subjects).max() ?? 0
    }
  }

  /// Creates the fitters of a thread.
  package func fitters() -> Fitters {
    guard case .fitted(let fits) = source else { return [] }
    return fits.map { fit in
      Result { () throws(SeriesFailure) in try SeriesFitter(options: fit) }
    }
  }

  /// Returns the parameters of a series by each method, or why there are none.
  package func parameters(
    of series: Series, _ instrument: Instrument?, _ fitters: Fitters
  ) -> [Result<ModelParameters, SeriesFailure>] {
    switch source {
    case .given(let shared):
      let parameters = shared[options.typical(of: series.subject)]?[series.subject.sex]
      return options.methods.map { method in
        Result { () throws(SeriesFailure) in
          try series.requireUsable()
          let r: RFactor
          do throws(Problem) {
            r = try method.rFactor(for: series.subject)
          } catch {
            throw .problem(error)
          }
          guard let parameters else { throw .nothingPredicted }
          do throws(Problem) {
            return try parameters.get().with(r)
          } catch {
            throw .problem(error)
          }
        }
      }
    case .fitted:
      return fitters.map { fitter in
        Result { () throws(SeriesFailure) in
          try fitter.get().fit(series, instrument: instrument).parameters
        }
      }
    case .leftOut(let medians):
      return zip(options.methods, medians).map { method, kinetics in
        Result { () throws(SeriesFailure) in
          try series.requireUsable()
          return try method.parameters(
            for: series.subject, options.model, kinetics.typical(without: series.subject.id))
        }
      }
    }
  }
}

extension PredictionOptions {
  /// A fit with which a method predicts: r by the method, absorption and elimination estimated.
  func fit(by method: any RFactorMethod, _ starts: Int) -> FitOptions {
    FitOptions(
      model: model, rFactor: method, selection: selection, starts: StartDesign(count: starts),
      engine: engine, interval: nil, factors: factors)
  }
}

/// The typical parameters of absorption and elimination of the fits of several subjects, leaving out
/// each in turn.
///
/// Typical is the median of the subjects' logarithms; see ``PredictionParameters/leftOut(starts:)``.
private struct LeftOutKinetics {
  private let medians: [(parameter: FitParameter, median: LeftOutMedian)]
  let subjects: Int

  init(of fits: [StudyFit]) {
    var bySubject: [String: [SeriesFit]] = [:]
    for fit in fits {
      guard let value = try? fit.result.get(), value.isConverged else { continue }
      bySubject[fit.series.subject.id, default: []].append(value)
    }
    let model = bySubject.values.first?.first?.model ?? .widmark
    medians = model.defaultEstimate.sorted().map { ($0, LeftOutMedian($0, of: bySubject)) }
    subjects = bySubject.count
  }

  /// Returns the median of the others' fits; throws if there are none.
  func typical(without subject: String) throws(SeriesFailure) -> [FitParameter: Double] {
    var values: [FitParameter: Double] = [:]
    for (parameter, median) in medians {
      guard let typical = median.median(without: subject) else { throw .noOtherFit }
      values[parameter] = .exp(typical)
    }
    return values
  }
}

/// The median of a logarithm over several subjects, leaving out each in turn.
private struct LeftOutMedian {
  /// The mean of the logarithms over each subject's series, and its rank: the value, or infinite if a fit
  /// stopped at a limit. In ascending order.
  private let entries: [(value: Double, rank: Double)]
  /// The rank of each subject.
  private let positions: [String: Int]
  /// The ranks of those not beyond a limit.
  private let bounded: Range<Int>

  /// If all series are intravenous, there is no estimate of absorption.
  init(_ parameter: FitParameter, of fits: [String: [SeriesFit]]) {
    let fits = fits.mapValues { $0.filter { $0.estimates[parameter] != nil } }
      .filter { !$0.value.isEmpty }
    let bounds = parameter.defaultBounds
    let middle = (Double.log(bounds.lowerBound) + Double.log(bounds.upperBound)) / 2
    let all = fits.map { subject, fits -> (subject: String, value: Double, rank: Double) in
      let logs = fits.map { Double.log($0.values[known: parameter]) }
      let value = logs.reduce(0, +) / Double(logs.count)
      // The limit reached is the one on the value's side of the middle.
      let stopped = zip(fits, logs).filter { $0.0.estimates[parameter]?.isAtBound == true }
        .map { $0.1 > middle }
      let rank = stopped.contains(true) ? Double.infinity : stopped.isEmpty ? value : -.infinity
      return (subject, value, rank)
    }
    // Ties are broken by value, so that the order of the subjects does not matter.
    .sorted { ($0.rank, $0.value) < ($1.rank, $1.value) }
    entries = all.map { ($0.value, $0.rank) }
    let first = all.firstIndex { $0.rank > -.infinity } ?? all.endIndex
    bounded = first..<(all.firstIndex { $0.rank == .infinity } ?? all.endIndex)
    positions = Dictionary(
      uniqueKeysWithValues: all.enumerated().map { ($0.element.subject, $0.offset) })
  }

  /// The median of the others; nil if there are none.
  ///
  /// If it falls among those beyond a limit, it is the nearest value of the others; if all are
  /// beyond, it is the limit.
  func median(without subject: String) -> Double? {
    let left = positions[subject]
    let count = entries.count - (left == nil ? 0 : 1)
    guard count > 0 else { return nil }
    let entry = { (index: Int) in entries[left.map { index < $0 ? index : index + 1 } ?? index] }
    let low = entry((count - 1) / 2)
    let high = entry(count / 2)
    switch (low.rank.isFinite, high.rank.isFinite) {
    case (true, true): return (low.value + high.value) / 2
    case (true, false): return low.value
    case (false, true): return high.value
    case (false, false):
      let nearest = low.rank > 0 ? Array(bounded.suffix(2).reversed()) : Array(bounded.prefix(2))
      return (nearest.first { $0 != left }).map { entries[$0].value } ?? low.value
    }
  }
}
