package import AlcoholKinetics
package import Estimation
import RealModule
package import StudyData

/// A k_a of predictions far from that of the study's own fits.
package struct AbsorptionMismatch: Codable, Hashable, Sendable {
  /// The k_a of predictions; if subjects differ in it, the median over the series fitted.
  package let predicted: PerHour
  /// The median of the series' own fits.
  package let median: PerHour
  /// The number of series fitted.
  package let series: Int

  /// Compares with existing fits whose readings determine k_a; nil if k_a is not far, or there are
  /// too few.
  init?(_ fits: [StudyFit], _ options: PredictionOptions) {
    self.init(
      fits.compactMap { fit in
        (try? fit.result.get()).flatMap { options.absorption(of: fit.series.subject, $0) }
      })
  }

  /// Fits the series of a study, at most 200 subjects, and compares with them; nil if k_a is not
  /// far, or there are too few.
  package init?(in study: Study, _ options: PredictionOptions) throws(SeriesFailure) {
    var check = try AbsorptionCheck(options, study.instrument)
    for series in study.series { check.add(series) }
    guard let mismatch = check.mismatch else { return nil }
    self = mismatch
  }

  /// k_a is far if it exceeds the median by more than this factor, or falls below it by more.
  private static let factor = 2.0
  /// The fewest series for a result.
  private static let fewest = 3

  fileprivate init?(_ values: [Absorption]) {
    guard values.count >= Self.fewest, let median = Self.median(values.map(\.fitted)),
      let predicted = Self.median(values.map(\.predicted)),
      max(predicted / median, median / predicted) > Self.factor
    else { return nil }
    self.predicted = PerHour(predicted)
    self.median = PerHour(median)
    series = values.count
  }

  /// The geometric mean of the two middle values.
  private static func median(_ values: [Double]) -> Double? {
    values.middle.map { $0.low == $0.high ? $0.low : ($0.low * $0.high).squareRoot() }
  }

  package var code: String { "W_KA_FAR" }
}

extension AbsorptionMismatch: CustomStringConvertible {
  package var description: String {
    let shape = predicted > median ? "early and too high" : "late and too low"
    let short = { (value: Double) in value.fixed(value < 10 ? 2 : 1) }
    return
      "Predictions take k_a \(short(predicted.value)) /h, but the study's own fits have a median of "
      + "\(short(median.value)) /h (\(series) series), so that predicted peaks are too \(shape). State a "
      + "k_a that fits these people, or predict with that of all other subjects."
  }
}

/// The k_a of a series, fitted and predicted with, in 1/h.
private typealias Absorption = (fitted: Double, predicted: Double)

extension PredictionOptions {
  /// Returns nil if the readings do not determine k_a, or predictions use no given one.
  fileprivate func absorption(of subject: Subject, _ fit: SeriesFit) -> Absorption? {
    guard case .given(let given) = parameters,
      let predicted = typical(of: subject).values(of: model, for: subject.sex, given: given)[.ka],
      fit.isConverged, let ka = fit.estimates[.ka], !ka.isAtBound, ka.isIdentifiable != false
    else { return nil }
    return (ka.value, predicted)
  }
}

/// Compares the k_a of predictions with the series of a study that arrive one at a time, in
/// constant memory: only k_a is kept of each fit, and of a large study the subjects whose names
/// have the smallest hash values, so that the selection does not depend on their order.
package struct AbsorptionCheck {
  /// The most subjects to fit.
  private static let most = 200

  private let fitter: SeriesFitter?
  private let options: PredictionOptions
  private let instrument: Instrument?
  private var subjects: [String: (hash: UInt64, known: [Absorption])] = [:]
  /// The largest hash value kept, once there are so many subjects.
  private var limit = UInt64.max

  /// Prepares to compare.
  package init(
    _ options: PredictionOptions, _ instrument: Instrument?
  ) throws(SeriesFailure) {
    self.options = options
    self.instrument = instrument
    guard case .given = options.parameters, let method = options.methods.first else {
      fitter = nil
      return
    }
    fitter = try SeriesFitter(options: options.fit(by: method, StartDesign.defaultCount))
  }

  package mutating func add(_ series: Series) {
    let name = series.subject.id
    guard let fitter, admits(name), let fit = try? fitter.fit(series, instrument: instrument),
      let absorption = options.absorption(of: series.subject, fit)
    else { return }
    subjects[name]?.known.append(absorption)
  }

  /// The comparison so far; nil if k_a is not far, or there are too few fits.
  package var mismatch: AbsorptionMismatch? { AbsorptionMismatch(subjects.values.flatMap(\.known)) }

  /// Admits a subject if its hash value is among the smallest so far; returns whether it is.
  private mutating func admits(_ name: String) -> Bool {
    if subjects[name] != nil { return true }
    let hash = Self.hash(name)
    guard subjects.count < Self.most || hash < limit else { return false }
    subjects[name] = (hash, [])
    if subjects.count > Self.most,
      let last = subjects.max(by: { $0.value.hash < $1.value.hash })?.key
    {
      subjects[last] = nil
    }
    if subjects.count == Self.most { limit = subjects.values.map(\.hash).max() ?? .max }
    return subjects[name] != nil
  }

  /// FNV-1a (Fowler, Noll & Vo 1991), the same in every run, and mixed so that names in a row fall apart
  /// (the finalizer of SplitMix64, Steele et al. 2014).
  private static func hash(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return SplitMix64.mixed(hash)
  }
}
