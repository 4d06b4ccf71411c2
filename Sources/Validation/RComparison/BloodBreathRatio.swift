public import AlcoholKinetics
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
