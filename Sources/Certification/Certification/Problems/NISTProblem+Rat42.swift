import RealModule

extension NISTProblem {
  /// Pasture yield against growing time (Ratkowsky, 1983).
  static let rat42 = NISTProblem(
    name: "Rat42",
    difficulty: .higher,
    formula: "y = b1 / (1+exp[b2-b3*x]) + e",
    model: NISTModel(
      residuals: { b, context, residuals in
        NISTObservations.at(context).write(residuals) { x in
          b[0] / (1 + Double.exp(b[1] - b[2] * x))
        }
      },
      jacobian: { b, context, jacobian in
        NISTObservations.at(context).write(jacobian, columns: 3) { x, row in
          let q = 1 / (1 + Double.exp(b[1] - b[2] * x))
          // e q, which stays finite where e = Double.exp(b2 − b3 x) overflows.
          let s = 1 / (1 + Double.exp(b[2] * x - b[1]))
          row[0] = q
          row[1] = -b[0] * q * s
          row[2] = b[0] * x * q * s
        }
      }),
    starts: [
      [100, 1, 0.1],
      [75, 2.5, 0.07],
    ],
    parameters: [72.462237576, 2.6180768402, 0.067359200066],
    standardDeviations: [1.7340283401, 0.088295217536, 0.0034465663377],
    rss: 8.0565229338,
    residualSD: 1.1587725499,
    degreesOfFreedom: 6,
    data: """
      8.930E0 9.000E0
      10.800E0 14.000E0
      18.590E0 21.000E0
      22.330E0 28.000E0
      39.350E0 42.000E0
      56.110E0 57.000E0
      61.730E0 63.000E0
      64.620E0 70.000E0
      67.080E0 79.000E0
      """)
}
