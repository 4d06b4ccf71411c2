import AlcoholKinetics
import Estimation
import RealModule
import StudyData

/// The typical parameters of absorption and elimination of the fits of several subjects, leaving out
/// each in turn.
///
/// Typical is the median of the subjects' logarithms; see ``PredictionParameters/leftOut(starts:)``.
struct LeftOutKinetics {
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

  /// The parameters of every series of a study by the others' fits, or why there are none.
  package func parameters(
    of study: Study, _ model: EliminationModel, by method: any RFactorMethod
  ) -> [Result<ModelParameters, SeriesFailure>] {
    study.series.map { series in
      Result { () throws(SeriesFailure) in
        try series.requireUsable()
        var values: [FitParameter: Double] = [:]
        for (parameter, median) in medians {
          guard let typical = median.median(without: series.subject.id) else { throw .noOtherFit }
          values[parameter] = .exp(typical)
        }
        return try method.parameters(for: series.subject, model, values)
      }
    }
  }
}

/// The median of a logarithm over several subjects, leaving out each in turn.
private struct LeftOutMedian {
  /// What the fits of a subject say.
  private struct Entry {
    /// The mean of the logarithms over the subject's series.
    let value: Double
    /// Where it stands in order: the value, or infinite where a fit was stopped by a limit.
    let rank: Double
  }

  /// In ascending order.
  private let entries: [Entry]
  /// Where each subject stands.
  private let positions: [String: Int]
  /// Where those stand that are not beyond a limit.
  private let known: Range<Int>

  /// Of an all intravenous series nothing is known about absorption.
  init(_ parameter: FitParameter, of fits: [String: [SeriesFit]]) {
    let fits = fits.mapValues { $0.filter { $0.estimates[parameter] != nil } }
      .filter { !$0.value.isEmpty }
    let middle = FitParameter.middleOfBounds(of: parameter)
    let all = fits.map { subject, fits -> (subject: String, entry: Entry) in
      let logs = fits.map { Double.log($0.values[known: parameter]) }
      let value = logs.reduce(0, +) / Double(logs.count)
      // A search stops at the limit on whose side of the middle the value is.
      let stopped = zip(fits, logs).filter { $0.0.estimates[parameter]?.isAtBound == true }
        .map { $0.1 > middle }
      let rank = stopped.contains(true) ? Double.infinity : stopped.isEmpty ? value : -.infinity
      return (subject, Entry(value: value, rank: rank))
    }
    // By value where ranks are equal, so that the order of the subjects does not matter.
    .sorted { ($0.entry.rank, $0.entry.value) < ($1.entry.rank, $1.entry.value) }
    entries = all.map(\.entry)
    let first = all.firstIndex { $0.entry.rank > -.infinity } ?? all.endIndex
    known = first..<(all.firstIndex { $0.entry.rank == .infinity } ?? all.endIndex)
    positions = Dictionary(
      uniqueKeysWithValues: all.enumerated().map { ($0.element.subject, $0.offset) })
  }

  /// The median of the others; nil if there are none.
  ///
  /// Where it falls among those beyond a limit, it is the nearest value of those that are not; where
  /// all are beyond, it is the limit.
  func median(without subject: String) -> Double? {
    let left = positions[subject]
    let count = entries.count - (left == nil ? 0 : 1)
    guard count > 0 else { return nil }
    let entry = { (index: Int) in entries[left.map { index < $0 ? index : index + 1 } ?? index] }
    let (low, high) = (entry((count - 1) / 2), entry(count / 2))
    switch (low.rank.isFinite, high.rank.isFinite) {
    case (true, true): return (low.value + high.value) / 2
    case (true, false): return low.value
    case (false, true): return high.value
    case (false, false):
      let nearest = low.rank > 0 ? Array(known.suffix(2).reversed()) : Array(known.prefix(2))
      return (nearest.first { $0 != left }).map { entries[$0].value } ?? low.value
    }
  }
}

extension FitParameter {
  /// The middle between the limits of the search, as logarithm.
  fileprivate static func middleOfBounds(of parameter: FitParameter) -> Double {
    let bounds = parameter.defaultBounds
    return (Double.log(bounds.lowerBound) + Double.log(bounds.upperBound)) / 2
  }
}
