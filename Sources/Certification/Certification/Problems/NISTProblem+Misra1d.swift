extension NISTProblem {
  /// Monomolecular adsorption in dental research, volume against pressure (Misra, 1978).
  static let misra1d = NISTProblem(
    name: "Misra1d",
    difficulty: .average,
    formula: "y = b1*b2*x*((1+b2*x)**(-1)) + e",
    model: NISTModel(
      residuals: { b, context, residuals in
        NISTObservations.at(context).write(residuals) { x in
          b[0] * b[1] * x / (1 + b[1] * x)
        }
      },
      jacobian: { b, context, jacobian in
        NISTObservations.at(context).write(jacobian, columns: 2) { x, row in
          let q = 1 / (1 + b[1] * x)
          row[0] = b[1] * x * q
          row[1] = b[0] * x * q * q
        }
      }),
    starts: [
      [500, 0.0001],
      [450, 0.0003],
    ],
    parameters: [437.36970754, 0.00030227324449],
    standardDeviations: [3.6489174345, 2.9334354479e-06],
    rss: 0.056419295283,
    residualSD: 0.068568272111,
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
