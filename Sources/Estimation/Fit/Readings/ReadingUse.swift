/// What a fit does with a reading.
public enum ReadingUse: String, CaseIterable, Hashable, Sendable {
  /// It is fitted.
  case quantified
  /// It is below the limit of detection and says just that.
  case censored
  /// The study asks to leave it out.
  case excludedByStudy = "excluded-by-study"
  /// It was taken too soon after a drink, when mouth alcohol spoils it.
  case mouthAlcohol = "mouth-alcohol"
  /// It was taken before anything could be in the blood: whatever the parameters, the curve is zero
  /// there, so that the reading can tell nothing of them.
  case beforeDrinking = "before-drinking"
  /// It is below the limit of detection and such readings are dropped.
  case belowDetection = "below-detection"
  /// It follows a zero, and the first zero after sobriety says all there is to say.
  case repeatedZero = "repeated-zero"

  /// Whether the reading has a say in the fit.
  public var isUsed: Bool { self == .quantified || self == .censored }
}
