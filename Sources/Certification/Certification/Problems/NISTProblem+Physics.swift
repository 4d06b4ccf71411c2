import RealModule

extension NISTProblem {
  /// Radiated energy of a carbon filament against its temperature (Daniel and Wood, 1980).
  static let danWood = NISTProblem(
    name: "DanWood",
    difficulty: .lower,
    formula: "y = b1*x**b2 + e",
    model: NISTModel(
      residuals: { b, observations, residuals in
        observations.write(residuals) { x in
          b[0] * Double.pow(x, b[1])
        }
      },
      jacobian: { b, observations, jacobian in
        observations.write(jacobian, columns: 2) { x, row in
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
      2.138E0 1.309E0; 3.421E0 1.471E0; 3.597E0 1.490E0; 4.340E0 1.565E0; 4.882E0 1.611E0
      5.660E0 1.680E0
      """)
}

extension NISTProblem {
  /// Circular interference transmittance against wavelength (Eckerle).
  static let eckerle4 = NISTProblem(
    name: "Eckerle4",
    difficulty: .higher,
    formula: "y = (b1/b2) * exp[-0.5*((x-b3)/b2)**2] + e",
    model: NISTModel(
      residuals: { b, observations, residuals in
        observations.write(residuals) { x in
          let z = (x - b[2]) / b[1]
          return b[0] / b[1] * Double.exp(-0.5 * z * z)
        }
      },
      jacobian: { b, observations, jacobian in
        observations.write(jacobian, columns: 3) { x, row in
          let z = (x - b[2]) / b[1]
          let peak = Double.exp(-0.5 * z * z) / b[1]
          row[0] = peak
          row[1] = b[0] * peak * (z * z - 1) / b[1]
          row[2] = b[0] * peak * z / b[1]
        }
      }),
    starts: [
      [1, 10, 500],
      [1.5, 5, 450],
    ],
    parameters: [1.5543827178, 4.0888321754, 451.54121844],
    standardDeviations: [0.015408051163, 0.046803020753, 0.046800518816],
    rss: 0.0014635887487,
    residualSD: 0.0067629245447,
    degreesOfFreedom: 32,
    data: """
      0.0001575E0 400.000000E0; 0.0001699E0 405.000000E0; 0.0002350E0 410.000000E0
      0.0003102E0 415.000000E0; 0.0004917E0 420.000000E0; 0.0008710E0 425.000000E0
      0.0017418E0 430.000000E0; 0.0046400E0 435.000000E0; 0.0065895E0 436.500000E0
      0.0097302E0 438.000000E0; 0.0149002E0 439.500000E0; 0.0237310E0 441.000000E0
      0.0401683E0 442.500000E0; 0.0712559E0 444.000000E0; 0.1264458E0 445.500000E0
      0.2073413E0 447.000000E0; 0.2902366E0 448.500000E0; 0.3445623E0 450.000000E0
      0.3698049E0 451.500000E0; 0.3668534E0 453.000000E0; 0.3106727E0 454.500000E0
      0.2078154E0 456.000000E0; 0.1164354E0 457.500000E0; 0.0616764E0 459.000000E0
      0.0337200E0 460.500000E0; 0.0194023E0 462.000000E0; 0.0117831E0 463.500000E0
      0.0074357E0 465.000000E0; 0.0022732E0 470.000000E0; 0.0008800E0 475.000000E0
      0.0004579E0 480.000000E0; 0.0002345E0 485.000000E0; 0.0001586E0 490.000000E0
      0.0001143E0 495.000000E0; 0.0000710E0 500.000000E0
      """)
}

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
      residuals: { b, observations, residuals in
        observations.write(residuals) { x in
          b[0] - b[1] * x - Double.atan(b[2] / (x - b[3])) / Double.pi
        }
      },
      jacobian: { b, observations, jacobian in
        observations.write(jacobian, columns: 4) { x, row in
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
      0.252429 -4868.68; 0.252141 -4868.09; 0.251809 -4867.41; 0.297989 -3375.19
      0.296257 -3373.14; 0.295319 -3372.03; 0.339603 -2473.74; 0.337731 -2472.35
      0.333820 -2469.45; 0.389510 -1894.65; 0.386998 -1893.40; 0.438864 -1497.24
      0.434887 -1495.85; 0.427893 -1493.41; 0.471568 -1208.68; 0.461699 -1206.18
      0.461144 -1206.04; 0.513532 -997.92; 0.506641 -996.61; 0.505062 -996.31; 0.535648 -834.94
      0.533726 -834.66; 0.568064 -710.03; 0.612886 -530.16; 0.624169 -464.17
      """)
}

extension NISTProblem {
  /// Electron mobility in a semiconductor against the logarithm of density (Thurber).
  static let thurber = NISTProblem(
    name: "Thurber",
    difficulty: .higher,
    formula: "y = (b1 + b2*x + b3*x**2 + b4*x**3) / (1 + b5*x + b6*x**2 + b7*x**3) + e",
    model: .cubicOverCubic,
    starts: [
      [1000, 1000, 400, 40, 0.7, 0.3, 0.03],
      [1300, 1500, 500, 75, 1, 0.4, 0.05],
    ],
    parameters: [
      1288.13968, 1491.0792535, 583.23836877, 75.416644291, 0.96629502864, 0.39797285797,
      0.049727297349,
    ],
    standardDeviations: [
      4.6647963344, 39.571156086, 28.698696102, 5.567537027, 0.031333340687, 0.014984928198,
      0.0065842344623,
    ],
    rss: 5642.7082397,
    residualSD: 13.714600784,
    degreesOfFreedom: 30,
    data: """
      80.574E0 -3.067E0; 84.248E0 -2.981E0; 87.264E0 -2.921E0; 87.195E0 -2.912E0
      89.076E0 -2.840E0; 89.608E0 -2.797E0; 89.868E0 -2.702E0; 90.101E0 -2.699E0
      92.405E0 -2.633E0; 95.854E0 -2.481E0; 100.696E0 -2.363E0; 101.060E0 -2.322E0
      401.672E0 -1.501E0; 390.724E0 -1.460E0; 567.534E0 -1.274E0; 635.316E0 -1.212E0
      733.054E0 -1.100E0; 759.087E0 -1.046E0; 894.206E0 -0.915E0; 990.785E0 -0.714E0
      1090.109E0 -0.566E0; 1080.914E0 -0.545E0; 1122.643E0 -0.400E0; 1178.351E0 -0.309E0
      1260.531E0 -0.109E0; 1273.514E0 -0.103E0; 1288.339E0 0.010E0; 1327.543E0 0.119E0
      1353.863E0 0.377E0; 1414.509E0 0.790E0; 1425.208E0 0.963E0; 1421.384E0 1.006E0
      1442.962E0 1.115E0; 1464.350E0 1.572E0; 1468.705E0 1.841E0; 1447.894E0 2.047E0
      1457.628E0 2.200E0
      """)
}
