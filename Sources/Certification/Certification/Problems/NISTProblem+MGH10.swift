import RealModule

extension NISTProblem {
  /// Resistance of a thermistor against temperature (Meyer, 1970).
  static let mgh10 = NISTProblem(
    name: "MGH10",
    difficulty: .higher,
    formula: "y = b1 * exp[b2/(x+b3)] + e",
    model: NISTModel(
      residuals: { b, context, residuals in
        NISTObservations.at(context).write(residuals) { x in
          b[0] * Double.exp(b[1] / (x + b[2]))
        }
      },
      jacobian: { b, context, jacobian in
        NISTObservations.at(context).write(jacobian, columns: 3) { x, row in
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
      3.478000E+04 5.000000E+01
      2.861000E+04 5.500000E+01
      2.365000E+04 6.000000E+01
      1.963000E+04 6.500000E+01
      1.637000E+04 7.000000E+01
      1.372000E+04 7.500000E+01
      1.154000E+04 8.000000E+01
      9.744000E+03 8.500000E+01
      8.261000E+03 9.000000E+01
      7.030000E+03 9.500000E+01
      6.005000E+03 1.000000E+02
      5.147000E+03 1.050000E+02
      4.427000E+03 1.100000E+02
      3.820000E+03 1.150000E+02
      3.307000E+03 1.200000E+02
      2.872000E+03 1.250000E+02
      """)
}
