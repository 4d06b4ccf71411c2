public import AlcoholKinetics
import Estimation
import StudyData

/// The concentration at or below which somebody counts as sober, and why it is that one.
///
/// No instrument tells 0 from a little: a time to 0 is a time to its limit of detection, and a curve
/// under Michaelis-Menten elimination never comes to 0. So the threshold is, unless one is given, what
/// the study's instrument can tell.
public struct SobrietyThreshold: Codable, Hashable, Sendable {
  /// Where a threshold comes from.
  public enum Origin: String, CaseIterable, Codable, Hashable, Sendable {
    /// It was asked for.
    case given
    /// It is the limit of detection, the highest of the series' readings.
    case limitOfDetection = "limit-of-detection"
    /// It is the smallest step of the instrument's display.
    case resolution
    /// The study says nothing of its instrument.
    case assumed
  }

  public let concentration: GramsPerKilogram
  public let origin: Origin

  /// What is taken where nothing is known: 0.1 g/kg.
  public static let assumed = SobrietyThreshold(concentration: 0.1, origin: .assumed)
}

extension SobrietyThreshold {
  /// The threshold of a series: the one given, else its limit of detection, else its instrument's
  /// resolution, both converted from the unit of the readings, else ``assumed``.
  init(of series: Series, _ instrument: Instrument?, _ options: PredictionOptions) {
    if let given = options.threshold {
      self.init(concentration: given, origin: .given)
      return
    }
    let readings = series.readings.filter { !$0.isExcluded }
    let highest = { (limit: (Reading) -> Double?) -> GramsPerKilogram? in
      let limits = readings.compactMap { reading in
        limit(reading).map { reading.unit.bloodConcentration(of: $0, using: options.factors) }
      }
      return limits.filter { $0 > 0 }.max()
    }
    if let limit = highest({ options.selection.limitOfDetection(of: $0, instrument) }) {
      self.init(concentration: limit, origin: .limitOfDetection)
    } else if let step = highest({ _ in instrument?.resolution }) {
      self.init(concentration: step, origin: .resolution)
    } else {
      self = .assumed
    }
  }

  /// The thresholds that times were measured by, each once, the lowest first.
  public static func used(in scores: [SobrietyScore]) -> [SobrietyThreshold] {
    let measured = scores.filter { $0.measured.knowledge != .unknown }
    return Set(measured.map(\.threshold)).sorted {
      ($0.concentration, $0.origin.rawValue) < ($1.concentration, $1.origin.rawValue)
    }
  }
}
