import AlcoholKinetics
import Validation

extension SobrietyThreshold {
  /// At or below what somebody counted as sober and why, for running text.
  ///
  /// - Parameters:
  ///   - used: The thresholds by which times were measured.
  ///   - options: What was asked for, where no time was.
  static func words(_ used: [SobrietyThreshold], _ options: PredictionOptions) -> String {
    guard used.isEmpty else { return used.map(\.words).joined(separator: "; or ") }
    return options.threshold.map { SobrietyThreshold.number($0) + " g/kg" }
      ?? "the detection limit or resolution of the instrument"
  }

  private var words: String {
    let number = Self.number(concentration) + " g/kg"
    return switch origin {
    case .given: number
    case .limitOfDetection: number + ", the limit of detection"
    case .resolution: number + ", the resolution of the instrument"
    case .assumed: number + ", because the study states neither limit of detection nor resolution"
    }
  }

  private static func number(_ threshold: GramsPerKilogram) -> String {
    NumberStyle.significant(3).exactOrShort(threshold.value)
  }
}

extension NumberStyle {
  /// The number whole where it is short, else rounded in this style.
  fileprivate func exactOrShort(_ number: Double) -> String {
    let whole = Self.exact(number)
    return whole.count <= 6 ? whole : format(number)
  }
}
