extension NISTProblem {
  /// Monomolecular adsorption in dental research, volume against pressure (Misra, 1978).
  static let misra1c = NISTProblem(
    name: "Misra1c",
    difficulty: .average,
    formula: "y = b1 * (1-(1+2*b2*x)**(-.5)) + e",
    model: NISTModel(
      residuals: { b, context, residuals in
        NISTObservations.at(context).write(residuals) { x in
          b[0] * (1 - 1 / (1 + 2 * b[1] * x).squareRoot())
        }
      },
      jacobian: { b, context, jacobian in
        NISTObservations.at(context).write(jacobian, columns: 2) { x, row in
          let q = 1 / (1 + 2 * b[1] * x).squareRoot()
          row[0] = 1 - q
          row[1] = b[0] * x * q * q * q
        }
      }),
    starts: [
      [500, 0.0001],
      [600, 0.0002],
    ],
    parameters: [636.42725809, 0.00020813627256],
    standardDeviations: [4.6638326572, 1.7728423155e-06],
    rss: 0.040966836971,
    residualSD: 0.058428615257,
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
