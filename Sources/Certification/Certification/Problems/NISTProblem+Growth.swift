import RealModule

extension NISTProblem {
  /// Pasture yield against growing time (Ratkowsky, 1983).
  static let rat42 = NISTProblem(
    name: "Rat42",
    difficulty: .higher,
    formula: "y = b1 / (1+exp[b2-b3*x]) + e",
    model: NISTModel(
      residuals: { b, observations, residuals in
        observations.write(residuals) { x in
          b[0] / (1 + Double.exp(b[1] - b[2] * x))
        }
      },
      jacobian: { b, observations, jacobian in
        observations.write(jacobian, columns: 3) { x, row in
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
      8.930E0 9.000E0; 10.800E0 14.000E0; 18.590E0 21.000E0; 22.330E0 28.000E0; 39.350E0 42.000E0
      56.110E0 57.000E0; 61.730E0 63.000E0; 64.620E0 70.000E0; 67.080E0 79.000E0
      """)
}

extension NISTProblem {
  /// Dry weight of onion bulbs and tops against growing time (Ratkowsky, 1983).
  static let rat43 = NISTProblem(
    name: "Rat43",
    difficulty: .higher,
    formula: "y = b1 / ((1+exp[b2-b3*x])**(1/b4)) + e",
    model: NISTModel(
      residuals: { b, observations, residuals in
        observations.write(residuals) { x in
          b[0] * Double.exp(-Double.log(onePlus: Double.exp(b[1] - b[2] * x)) / b[3])
        }
      },
      jacobian: { b, observations, jacobian in
        observations.write(jacobian, columns: 4) { x, row in
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
      16.08E0 1.0E0; 33.83E0 2.0E0; 65.80E0 3.0E0; 97.20E0 4.0E0; 191.55E0 5.0E0; 326.20E0 6.0E0
      386.87E0 7.0E0; 520.53E0 8.0E0; 590.03E0 9.0E0; 651.92E0 10.0E0; 724.93E0 11.0E0
      699.56E0 12.0E0; 689.96E0 13.0E0; 637.56E0 14.0E0; 717.41E0 15.0E0
      """)
}

extension NISTProblem {
  /// Biochemical oxygen demand against incubation time (Box, Hunter and Hunter, 1978).
  static let boxBOD = NISTProblem(
    name: "BoxBOD",
    difficulty: .higher,
    formula: "y = b1*(1-exp[-b2*x]) + e",
    model: .saturation,
    starts: [
      [1, 1],
      [100, 0.75],
    ],
    parameters: [213.80940889, 0.54723748542],
    standardDeviations: [12.354515176, 0.10455993237],
    rss: 1168.0088766,
    residualSD: 17.088072423,
    degreesOfFreedom: 4,
    data: """
      109 1; 149 2; 149 3; 191 5; 213 7; 224 10
      """)
}
