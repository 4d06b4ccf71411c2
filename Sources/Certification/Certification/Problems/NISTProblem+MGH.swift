import RealModule

extension NISTProblem {
  /// Enzyme kinetics as a ratio, with a local minimum at infinity (Kowalik and Osborne, 1978).
  static let mgh09 = NISTProblem(
    name: "MGH09",
    difficulty: .higher,
    formula: "y = b1*(x**2+x*b2) / (x**2+x*b3+b4) + e",
    model: NISTModel(
      residuals: { b, observations, residuals in
        observations.write(residuals) { x in
          b[0] * x * (x + b[1]) / (x * (x + b[2]) + b[3])
        }
      },
      jacobian: { b, observations, jacobian in
        observations.write(jacobian, columns: 4) { x, row in
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
      1.957000E-01 4.000000E+00; 1.947000E-01 2.000000E+00; 1.735000E-01 1.000000E+00
      1.600000E-01 5.000000E-01; 8.440000E-02 2.500000E-01; 6.270000E-02 1.670000E-01
      4.560000E-02 1.250000E-01; 3.420000E-02 1.000000E-01; 3.230000E-02 8.330000E-02
      2.350000E-02 7.140000E-02; 2.460000E-02 6.250000E-02
      """)
}

extension NISTProblem {
  /// Resistance of a thermistor against temperature (Meyer, 1970).
  static let mgh10 = NISTProblem(
    name: "MGH10",
    difficulty: .higher,
    formula: "y = b1 * exp[b2/(x+b3)] + e",
    model: NISTModel(
      residuals: { b, observations, residuals in
        observations.write(residuals) { x in
          b[0] * Double.exp(b[1] / (x + b[2]))
        }
      },
      jacobian: { b, observations, jacobian in
        observations.write(jacobian, columns: 3) { x, row in
          let shifted = x + b[2]
          let value = Double.exp(b[1] / shifted)
          row[0] = value
          row[1] = b[0] * value / shifted
          row[2] = -b[0] * value * b[1] / (shifted * shifted)
        }
      }),
    starts: [
      [2, 400000, 25000],
      [0.02, 4000, 250],
    ],
    parameters: [0.005609636471, 6181.3463463, 345.22363462],
    standardDeviations: [0.00015687892471, 23.309021107, 0.78486103508],
    rss: 87.945855171,
    residualSD: 2.6009740065,
    degreesOfFreedom: 13,
    data: """
      3.478000E+04 5.000000E+01; 2.861000E+04 5.500000E+01; 2.365000E+04 6.000000E+01
      1.963000E+04 6.500000E+01; 1.637000E+04 7.000000E+01; 1.372000E+04 7.500000E+01
      1.154000E+04 8.000000E+01; 9.744000E+03 8.500000E+01; 8.261000E+03 9.000000E+01
      7.030000E+03 9.500000E+01; 6.005000E+03 1.000000E+02; 5.147000E+03 1.050000E+02
      4.427000E+03 1.100000E+02; 3.820000E+03 1.150000E+02; 3.307000E+03 1.200000E+02
      2.872000E+03 1.250000E+02
      """)
}

extension NISTProblem {
  /// Two exponentials and a constant (Osborne, 1972).
  static let mgh17 = NISTProblem(
    name: "MGH17",
    difficulty: .average,
    formula: "y = b1 + b2*exp[-x*b4] + b3*exp[-x*b5] + e",
    model: NISTModel(
      residuals: { b, observations, residuals in
        observations.write(residuals) { x in
          b[0] + b[1] * Double.exp(-x * b[3]) + b[2] * Double.exp(-x * b[4])
        }
      },
      jacobian: { b, observations, jacobian in
        observations.write(jacobian, columns: 5) { x, row in
          let first = Double.exp(-x * b[3])
          let second = Double.exp(-x * b[4])
          row[0] = 1
          row[1] = first
          row[2] = second
          row[3] = -b[1] * x * first
          row[4] = -b[2] * x * second
        }
      }),
    starts: [
      [50, 150, -100, 1, 2],
      [0.5, 1.5, -1, 0.01, 0.02],
    ],
    parameters: [0.37541005211, 1.9358469127, -1.4646871366, 0.01286753464, 0.022122699662],
    standardDeviations: [
      0.0020723153551, 0.22031669222, 0.22175707739, 0.00044861358114, 0.00089471996575,
    ],
    rss: 5.4648946975e-05,
    residualSD: 0.0013970497866,
    degreesOfFreedom: 28,
    data: """
      8.440000E-01 0.000000E+00; 9.080000E-01 1.000000E+01; 9.320000E-01 2.000000E+01
      9.360000E-01 3.000000E+01; 9.250000E-01 4.000000E+01; 9.080000E-01 5.000000E+01
      8.810000E-01 6.000000E+01; 8.500000E-01 7.000000E+01; 8.180000E-01 8.000000E+01
      7.840000E-01 9.000000E+01; 7.510000E-01 1.000000E+02; 7.180000E-01 1.100000E+02
      6.850000E-01 1.200000E+02; 6.580000E-01 1.300000E+02; 6.280000E-01 1.400000E+02
      6.030000E-01 1.500000E+02; 5.800000E-01 1.600000E+02; 5.580000E-01 1.700000E+02
      5.380000E-01 1.800000E+02; 5.220000E-01 1.900000E+02; 5.060000E-01 2.000000E+02
      4.900000E-01 2.100000E+02; 4.780000E-01 2.200000E+02; 4.670000E-01 2.300000E+02
      4.570000E-01 2.400000E+02; 4.480000E-01 2.500000E+02; 4.380000E-01 2.600000E+02
      4.310000E-01 2.700000E+02; 4.240000E-01 2.800000E+02; 4.200000E-01 2.900000E+02
      4.140000E-01 3.000000E+02; 4.110000E-01 3.100000E+02; 4.060000E-01 3.200000E+02
      """)
}
