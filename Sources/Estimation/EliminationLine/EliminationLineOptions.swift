public import AlcoholKinetics

/// The definition of the elimination limb, and the level of the intervals.
///
/// The limb begins after the highest reading, but not before ``limbAfter`` has passed since the end
/// of the last drink. It ends before the first reading at or below ``limbAbove`` or the reading's
/// own limit of detection. Of it are used what ``limbFrom`` and ``mostPoints`` leave. Readings that the study excludes are
/// ignored.
public struct EliminationLineOptions: Hashable, Sendable {
  /// The time after the end of the last drink before which no reading is used. Default 90 min.
  ///
  /// Absorption must be over, or the line falls more slowly than alcohol is eliminated. The straight
  /// decline began 69 min after the end of drinking on average, at 124 min at the latest (10 social
  /// drinkers; Ganert & Bowthorpe 2000), and fasting men who drank fast had their peak within 75 min
  /// in 97 % of cases (Jones, Jönsson & Neri 1991). Set 120 min for the rule of German courts (BGHSt
  /// 25, 246), and more after a large meal (Jones & Neri 1991).
  public var limbAfter: Hours
  /// The concentration at or below which the limb ends. Default 0.1 g/kg.
  ///
  /// The line bends where elimination is no longer saturated: at c, it runs at c / (K_m + c) of its
  /// largest rate. With K_m 0.027 g/L (Norberg et al. 2000) to 0.082 g/L (Wilkinson et al. 1976)
  /// that is 80 to 56 % at 0.1 g/kg and falls fast below.
  public var limbAbove: GramsPerKilogram
  /// The earliest time of a reading, since the first drink; nil for the rule alone. Default nil.
  ///
  /// For a first point that somebody chose by eye, as programs for noncompartmental analysis let one choose it.
  public var limbFrom: Hours?
  /// The largest number of readings: the last ones of the limb, farthest from absorption; nil for all. Default nil.
  public var mostPoints: Int?
  /// The confidence level of the intervals. Default 0.95.
  public var level: Double
  /// The factors that convert readings to g per kg of blood.
  public var factors: ConversionFactors

  /// Creates options; everything has a default.
  public init(
    limbAfter: Hours = EliminationLineOptions.defaultLimbAfter,
    limbAbove: GramsPerKilogram = EliminationLineOptions.defaultLimbAbove,
    limbFrom: Hours? = nil,
    mostPoints: Int? = nil,
    level: Double = Interval.defaultLevel,
    factors: ConversionFactors = ConversionFactors()
  ) {
    self.limbAfter = limbAfter
    self.limbAbove = limbAbove
    self.limbFrom = limbFrom
    self.mostPoints = mostPoints
    self.level = level
    self.factors = factors
  }

  /// The smallest number of readings of a limb.
  package static let fewestPoints = EliminationLimb.fewestTimes
  /// The default time after the last drink at which the limb begins.
  public static let defaultLimbAfter = Hours(minutes: 90)
  /// The default concentration at which the limb ends.
  public static let defaultLimbAbove: GramsPerKilogram = 0.1

  /// Throws ``SeriesFailure/badOptions(_:)`` if a value is impossible.
  func check() throws(SeriesFailure) {
    guard limbAfter.value.isFinite, limbAfter >= 0 else {
      throw .badOptions("the limb begins \(limbAfter) after the last drink; it must be 0 or more")
    }
    guard limbAbove.value.isFinite, limbAbove >= 0 else {
      throw .badOptions("the limb ends at \(limbAbove); it must be 0 or more")
    }
    guard limbFrom?.value.isFinite ?? true else {
      throw .badOptions("the limb begins at no time after the first drink")
    }
    guard mostPoints ?? EliminationLimb.fewestTimes >= EliminationLimb.fewestTimes else {
      throw .badOptions(
        "the limb has at most \(mostPoints ?? 0) readings; a line needs \(EliminationLimb.fewestTimes)"
      )
    }
    guard level > 0, level < 1 else {
      throw .badOptions("the level of the intervals is \(level); it must be between 0 and 1")
    }
  }
}
