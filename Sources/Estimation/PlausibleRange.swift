package import AlcoholKinetics

/// The ranges of the parameters in people. Used for warnings, never to clip a reported estimate.
package enum PlausibleRange {
  /// The ranges of k_a, beta and r, each in the parameter's unit; blood has 1.055 kg/L.
  package static let bounds: [FitParameter: ClosedRange<Double>] = [
    .ka: ka, .beta: betaPerLitre.lowerBound / 1.055...betaPerLitre.upperBound / 1.055, .r: r,
  ]
  /// k_a in 1/h.
  package static let ka = 0.5...30
  /// beta in g per litre of blood and hour: 95 % of people (Jones & Andersson 1996).
  package static let betaPerLitre = 0.09...0.29
  /// r in kg/kg.
  package static let r = 0.4...0.9
  /// The largest reading that is compatible with no alcohol if the limit of detection is not known: a usual
  /// cut-off of forensic laboratories, and many times the endogenous concentration.
  static let largestZero: GramsPerKilogram = 0.1
}
