import RealModule

extension NISTProblem {
  /// Radiated energy of a carbon filament against its temperature (Daniel and Wood, 1980).
  static let danWood = NISTProblem(
    name: "DanWood",
    difficulty: .lower,
    formula: "y = b1*x**b2 + e",
    model: NISTModel(
      residuals: { b, context, residuals in
        NISTObservations.at(context).write(residuals) { x in
          b[0] * Double.pow(x, b[1])
        }
      },
      jacobian: { b, context, jacobian in
        NISTObservations.at(context).write(jacobian, columns: 2) { x, row in
          let power = Double.pow(x, b[1])
          row[0] = power
          row[1] = b[0] * power * Double.log(x)
        }
      }),
    starts: [
      [1, 5],
      [0.7, 4],
    ],
    parameters: [0.76886226176, 3.8604055871],
    standardDeviations: [0.01828197386, 0.051726610913],
    rss: 0.0043173084083,
    residualSD: 0.032853114039,
    degreesOfFreedom: 4,
    data: """
      2.138E0 1.309E0
      3.421E0 1.471E0
      3.597E0 1.490E0
      4.340E0 1.565E0
      4.882E0 1.611E0
      5.660E0 1.680E0
      """)
}
