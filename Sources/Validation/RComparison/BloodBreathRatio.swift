public import AlcoholKinetics
public import Estimation
public import StudyData

/// The blood to breath ratio of one subject: C0 of blood over C0 of breath.
///
/// It is a ratio of volumes, ethanol in a volume of blood over ethanol in as much breath, as
/// `ConversionFactors.bloodBreathRatio` is: C0 of blood in g/kg becomes g/L by the
/// density of blood, C0 of breath in mg/L becomes g/L.
public struct BloodBreathRatio: Codable, Hashable, Sendable {
  public let subject: Subject
  /// The ratio, volume by volume, a pure number.
  public let value: Double

  /// The ratio of an estimate; nil if it has an error or a C0 is missing.
  public init?(of estimate: SubjectEstimate, using factors: ConversionFactors) {
    guard estimate.firstError == nil, let blood = estimate.c0, let breath = estimate.c0BreathMgPerL
    else { return nil }
    subject = estimate.subject
    value = blood.value * factors.bloodDensityKgPerL / (breath / 1000)
  }

  /// The ratios of all subjects of a study that have one, in order.
  public static func ratios(
    of study: EstimateStudy, using factors: ConversionFactors = ConversionFactors()
  ) -> [BloodBreathRatio] {
    study.subjects.compactMap { BloodBreathRatio(of: $0, using: factors) }
  }
}

/// How blood to breath ratios are spread over subjects; all values but the count are ratios.
public struct BloodBreathSpread: Codable, Hashable, Sendable {
  public let count: Int
  public let mean: Double
  /// The standard deviation, with divisor n - 1; nil for a single subject.
  public let standardDeviation: Double?
  public let median: Double
  /// The range of the middle 95 % of subjects: the quantiles at 2.5 and 97.5 %.
  ///
  /// It is where subjects lie, not where the mean does; no distribution is assumed.
  public let middle95Percent: Interval
  public let range: Interval

  /// Summarises ratios; nil if there are none, or one is not finite.
  public init?(of ratios: [BloodBreathRatio]) {
    guard let sample = Sample(ratios.map(\.value)),
      let low = sample.quantile(0.025), let high = sample.quantile(0.975),
      let smallest = sample.sorted.first, let largest = sample.sorted.last
    else { return nil }
    count = sample.count
    mean = sample.mean
    standardDeviation = sample.standardDeviation
    median = sample.median
    middle95Percent = Interval(low: low, high: high)
    range = Interval(low: smallest, high: largest)
  }
}
