extension NISTProblem {
  /// Enzyme kinetics as a ratio, with a local minimum at infinity (Kowalik and Osborne, 1978).
  static let mgh09 = NISTProblem(
    name: "MGH09",
    difficulty: .higher,
    formula: "y = b1*(x**2+x*b2) / (x**2+x*b3+b4) + e",
    model: NISTModel(
      residuals: { b, context, residuals in
        NISTObservations.at(context).write(residuals) { x in
          b[0] * x * (x + b[1]) / (x * (x + b[2]) + b[3])
        }
      },
      jacobian: { b, context, jacobian in
        NISTObservations.at(context).write(jacobian, columns: 4) { x, row in
          let denominator = x * (x + b[2]) + b[3]
          let ratio = x * (x + b[1]) / denominator
          row[0] = ratio
          row[1] = b[0] * x / denominator
          row[2] = -b[0] * ratio * x / denominator
          row[3] = -b[0] * ratio / denominator
        }
      }),
    starts: [
      [25, 39, 41.5, 39],
      [0.25, 0.39, 0.415, 0.39],
    ],
    parameters: [0.19280693458, 0.19128232873, 0.12305650693, 0.13606233068],
    standardDeviations: [0.011435312227, 0.19633220911, 0.080842031232, 0.090025542308],
    rss: 0.00030750560385,
    residualSD: 0.0066279236551,
    degreesOfFreedom: 7,
    data: """
      1.957000E-01 4.000000E+00
      1.947000E-01 2.000000E+00
      1.735000E-01 1.000000E+00
      1.600000E-01 5.000000E-01
      8.440000E-02 2.500000E-01
      6.270000E-02 1.670000E-01
      4.560000E-02 1.250000E-01
      3.420000E-02 1.000000E-01
      3.230000E-02 8.330000E-02
      2.350000E-02 7.140000E-02
      2.460000E-02 6.250000E-02
      """)
}
