import RealModule

extension NISTProblem {
  /// Dry weight of onion bulbs and tops against growing time (Ratkowsky, 1983).
  static let rat43 = NISTProblem(
    name: "Rat43",
    difficulty: .higher,
    formula: "y = b1 / ((1+exp[b2-b3*x])**(1/b4)) + e",
    model: NISTModel(
      residuals: { b, context, residuals in
        NISTObservations.at(context).write(residuals) { x in
          b[0] * Double.exp(-Double.log(onePlus: Double.exp(b[1] - b[2] * x)) / b[3])
        }
      },
      jacobian: { b, context, jacobian in
        NISTObservations.at(context).write(jacobian, columns: 4) { x, row in
          let e = Double.exp(b[1] - b[2] * x)
          let power = Double.exp(-Double.log(onePlus: e) / b[3])
          // e / (1 + e), which stays finite where e overflows.
          let s = 1 / (1 + Double.exp(b[2] * x - b[1]))
          row[0] = power
          row[1] = -b[0] * power * s / b[3]
          row[2] = b[0] * x * power * s / b[3]
          row[3] = b[0] * power * Double.log(onePlus: e) / (b[3] * b[3])
        }
      }),
    starts: [
      [100, 10, 1, 1],
      [700, 5, 0.75, 1.3],
    ],
    parameters: [699.6415127, 5.2771253025, 0.75962938329, 1.2792483859],
    standardDeviations: [16.302297817, 2.0828735829, 0.19566123451, 0.68761936385],
    rss: 8786.404908,
    residualSD: 28.262414662,
    // NIST's file says 9, but has 15 observations and 4 parameters, and its residual SD agrees.
    degreesOfFreedom: 11,
    data: """
      16.08E0 1.0E0
      33.83E0 2.0E0
      65.80E0 3.0E0
      97.20E0 4.0E0
      191.55E0 5.0E0
      326.20E0 6.0E0
      386.87E0 7.0E0
      520.53E0 8.0E0
      590.03E0 9.0E0
      651.92E0 10.0E0
      724.93E0 11.0E0
      699.56E0 12.0E0
      689.96E0 13.0E0
      637.56E0 14.0E0
      717.41E0 15.0E0
      """)
}
