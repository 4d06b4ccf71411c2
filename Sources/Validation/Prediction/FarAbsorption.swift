package import AlcoholKinetics
package import Estimation
import RealModule
package import StudyData

/// A k_a of predictions that is far from what the study's own readings say.
package struct FarAbsorption: Codable, Hashable, Sendable {
  /// The k_a of predictions; where subjects differ in it, the median of those that the series have.
  package let predicted: PerHour
  /// The median of the series' own fits.
  package let median: PerHour
  /// How many series gave it.
  package let series: Int

  /// Compares with fits that are there already, of which those count whose k_a the readings determine.
  init?(_ fits: [StudyFit], _ options: PredictionOptions) {
    self.init(
      fits.compactMap { fit in
        (try? fit.result.get()).flatMap { options.absorption(of: fit.series.subject, $0) }
      })
  }

  /// Fits the series of a study, of a large one those of 200 subjects, and compares with them; nil if k_a is not
  /// far, or if nothing can be said.
  package init?(in study: Study, _ options: PredictionOptions) throws(SeriesFailure) {
    var check = try AbsorptionCheck(options, study.instrument)
    for series in study.series { check.add(series) }
    guard let found = check.found else { return nil }
    self = found
  }

  /// k_a is far if it is more than this many times the median, or less than its inverse.
  private static let factor = 2.0
  /// The fewest series that say anything.
  private static let fewest = 3

  fileprivate init?(_ known: [Absorption]) {
    guard known.count >= Self.fewest, let median = Self.median(known.map(\.fitted)),
      let predicted = Self.median(known.map(\.predicted)),
      max(predicted / median, median / predicted) > Self.factor
    else { return nil }
    self.predicted = PerHour(predicted)
    self.median = PerHour(median)
    series = known.count
  }

  /// The geometric mean of the middle two, or of the middle one with itself.
  private static func median(_ values: [Double]) -> Double? {
    values.middle.map { $0.low == $0.high ? $0.low : ($0.low * $0.high).squareRoot() }
  }

  package var code: String { "W_KA_FAR" }
}

extension FarAbsorption: CustomStringConvertible {
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
  /// Nil where the readings do not determine it, or where it is no number that predictions take.
  fileprivate func absorption(of subject: Subject, _ fit: SeriesFit) -> Absorption? {
    guard case .given(let given) = parameters,
      let predicted = typical(of: subject).values(of: model, for: subject.sex, given: given)[.ka],
      fit.isConverged, let ka = fit.estimates[.ka], !ka.isAtBound, ka.isIdentifiable != false
    else { return nil }
    return (ka.value, predicted)
  }
}

/// Compares the k_a of predictions with the series of a study that come one at a time. Of each fit nothing is kept but
/// its k_a, and of a large study the subjects whose names have the smallest hash values: so memory does not grow with
/// it, and who they are does not depend on the order in which they come.
package struct AbsorptionCheck {
  /// The most subjects that are fitted.
  private static let most = 200

  private let fitter: SeriesFitter?
  private let options: PredictionOptions
  private let instrument: Instrument?
  private var subjects: [String: (hash: UInt64, known: [Absorption])] = [:]
  /// The largest of their hash values, once there are so many.
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

  /// The comparison so far; nil if k_a is not far, or if nothing can be said.
  package var found: FarAbsorption? { FarAbsorption(subjects.values.flatMap(\.known)) }

  /// Whether a subject belongs to those with the smallest values so far.
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
