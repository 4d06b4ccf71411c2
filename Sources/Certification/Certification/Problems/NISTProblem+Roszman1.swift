import RealModule

extension NISTProblem {
  /// Quantum defects in iodine atoms against the energy of the excited state (Roszman).
  static let roszman1 = NISTProblem(
    name: "Roszman1",
    difficulty: .average,
    formula: """
      pi = 3.141592653589793238462643383279E0 \
      y = b1 - b2*x - arctan[b3/(x-b4)]/pi + e
      """,
    model: NISTModel(
      residuals: { b, context, residuals in
        NISTObservations.at(context).write(residuals) { x in
          b[0] - b[1] * x - Double.atan(b[2] / (x - b[3])) / Double.pi
        }
      },
      jacobian: { b, context, jacobian in
        NISTObservations.at(context).write(jacobian, columns: 4) { x, row in
          let distance = x - b[3]
          let scale = 1 / (Double.pi * (distance * distance + b[2] * b[2]))
          row[0] = 1
          row[1] = -x
          row[2] = -distance * scale
          row[3] = -b[2] * scale
        }
      }),
    starts: [
      [0.1, -1e-05, 1000, -100],
      [0.2, -5e-06, 1200, -150],
    ],
    parameters: [0.20196866396, -6.1953516256e-06, 1204.4556708, -181.34269537],
    standardDeviations: [0.019172666023, 3.2058931691e-06, 74.050983057, 49.573513849],
    rss: 0.00049484847331,
    residualSD: 0.004854298406,
    degreesOfFreedom: 21,
    data: """
      0.252429 -4868.68
      0.252141 -4868.09
      0.251809 -4867.41
      0.297989 -3375.19
      0.296257 -3373.14
      0.295319 -3372.03
      0.339603 -2473.74
      0.337731 -2472.35
      0.333820 -2469.45
      0.389510 -1894.65
      0.386998 -1893.40
      0.438864 -1497.24
      0.434887 -1495.85
      0.427893 -1493.41
      0.471568 -1208.68
      0.461699 -1206.18
      0.461144 -1206.04
      0.513532 -997.92
      0.506641 -996.61
      0.505062 -996.31
      0.535648 -834.94
      0.533726 -834.66
      0.568064 -710.03
      0.612886 -530.16
      0.624169 -464.17
      """)
}
