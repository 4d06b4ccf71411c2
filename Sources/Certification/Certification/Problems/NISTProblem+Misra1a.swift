extension NISTProblem {
  /// Monomolecular adsorption in dental research, volume against pressure (Misra, 1978).
  static let misra1a = NISTProblem(
    name: "Misra1a",
    difficulty: .lower,
    formula: "y = b1*(1-exp[-b2*x]) + e",
    model: .saturation,
    starts: [
      [500, 0.0001],
      [250, 0.0005],
    ],
    parameters: [238.94212918, 0.00055015643181],
    standardDeviations: [2.7070075241, 7.2668688436e-06],
    rss: 0.12455138894,
    residualSD: 0.1018787633,
    degreesOfFreedom: 12,
    data: """
      10.07E0 77.6E0
      14.73E0 114.9E0
      17.94E0 141.1E0
      23.93E0 190.8E0
      29.61E0 239.9E0
      35.18E0 289.0E0
      40.02E0 332.8E0
      44.82E0 378.4E0
      50.76E0 434.8E0
      55.05E0 477.3E0
      61.01E0 536.8E0
      66.40E0 593.1E0
      75.47E0 689.1E0
      81.78E0 760.0E0
      """)
}
