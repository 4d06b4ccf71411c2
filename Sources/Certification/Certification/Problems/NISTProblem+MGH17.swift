import RealModule

extension NISTProblem {
  /// Two exponentials and a constant (Osborne, 1972).
  static let mgh17 = NISTProblem(
    name: "MGH17",
    difficulty: .average,
    formula: "y = b1 + b2*exp[-x*b4] + b3*exp[-x*b5] + e",
    model: NISTModel(
      residuals: { b, context, residuals in
        NISTObservations.at(context).write(residuals) { x in
          b[0] + b[1] * Double.exp(-x * b[3]) + b[2] * Double.exp(-x * b[4])
        }
      },
      jacobian: { b, context, jacobian in
        NISTObservations.at(context).write(jacobian, columns: 5) { x, row in
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
      8.440000E-01 0.000000E+00
      9.080000E-01 1.000000E+01
      9.320000E-01 2.000000E+01
      9.360000E-01 3.000000E+01
      9.250000E-01 4.000000E+01
      9.080000E-01 5.000000E+01
      8.810000E-01 6.000000E+01
      8.500000E-01 7.000000E+01
      8.180000E-01 8.000000E+01
      7.840000E-01 9.000000E+01
      7.510000E-01 1.000000E+02
      7.180000E-01 1.100000E+02
      6.850000E-01 1.200000E+02
      6.580000E-01 1.300000E+02
      6.280000E-01 1.400000E+02
      6.030000E-01 1.500000E+02
      5.800000E-01 1.600000E+02
      5.580000E-01 1.700000E+02
      5.380000E-01 1.800000E+02
      5.220000E-01 1.900000E+02
      5.060000E-01 2.000000E+02
      4.900000E-01 2.100000E+02
      4.780000E-01 2.200000E+02
      4.670000E-01 2.300000E+02
      4.570000E-01 2.400000E+02
      4.480000E-01 2.500000E+02
      4.380000E-01 2.600000E+02
      4.310000E-01 2.700000E+02
      4.240000E-01 2.800000E+02
      4.200000E-01 2.900000E+02
      4.140000E-01 3.000000E+02
      4.110000E-01 3.100000E+02
      4.060000E-01 3.200000E+02
      """)
}
