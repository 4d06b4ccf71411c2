import GSL

// Certified problems of the NIST Statistical Reference Datasets for nonlinear regression (public
// domain, https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml).

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension CertifiedProblem {
  /// One problem of lower and six of higher difficulty.
  static let all = [misra1a, eckerle4, boxBOD, mgh09, mgh10, rat43, thurber]

  /// y = b1 (1 - exp(-b2 x))
  static let misra1a = CertifiedProblem(
    name: "Misra1a",
    x: [
      77.6, 114.9, 141.1, 190.8, 239.9, 289, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1,
      760,
    ],
    y: [
      10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.4, 75.47,
      81.78,
    ],
    starts: [
      [500, 0.0001],
      [250, 0.0005],
    ],
    parameters: [
      238.94212918, 0.00055015643181,
    ],
    standardErrors: [
      2.7070075241, 7.2668688436e-06,
    ],
    rss: 0.12455138894,
    residuals: { parameters, context, residuals in
      Samples(context).writeResiduals(residuals) { x in
        let b = parameters
        let e = exp(-b[1] * x)
        return b[0] * (1 - e)
      }
    },
    jacobian: { parameters, context, jacobian in
      Samples(context).writeJacobian(jacobian, columns: 2) { x, g in
        let b = parameters
        let e = exp(-b[1] * x)
        g[0] = 1 - e
        g[1] = b[0] * x * e
      }
    })

  /// y = b1/b2 exp(-((x - b3) / b2)² / 2)
  static let eckerle4 = CertifiedProblem(
    name: "Eckerle4",
    x: [
      400, 405, 410, 415, 420, 425, 430, 435, 436.5, 438, 439.5, 441, 442.5, 444, 445.5, 447,
      448.5, 450, 451.5, 453, 454.5, 456, 457.5, 459, 460.5, 462, 463.5, 465, 470, 475, 480, 485,
      490, 495, 500,
    ],
    y: [
      0.0001575, 0.0001699, 0.000235, 0.0003102, 0.0004917, 0.000871, 0.0017418, 0.00464,
      0.0065895, 0.0097302, 0.0149002, 0.023731, 0.0401683, 0.0712559, 0.1264458, 0.2073413,
      0.2902366, 0.3445623, 0.3698049, 0.3668534, 0.3106727, 0.2078154, 0.1164354, 0.0616764,
      0.03372, 0.0194023, 0.0117831, 0.0074357, 0.0022732, 0.00088, 0.0004579, 0.0002345,
      0.0001586, 0.0001143, 7.1e-05,
    ],
    starts: [
      [1, 10, 500],
      [1.5, 5, 450],
    ],
    parameters: [
      1.5543827178, 4.0888321754, 451.54121844,
    ],
    standardErrors: [
      0.015408051163, 0.046803020753, 0.046800518816,
    ],
    rss: 0.0014635887487,
    residuals: { parameters, context, residuals in
      Samples(context).writeResiduals(residuals) { x in
        let b = parameters
        let z = (x - b[2]) / b[1]
        return b[0] / b[1] * exp(-z * z / 2)
      }
    },
    jacobian: { parameters, context, jacobian in
      Samples(context).writeJacobian(jacobian, columns: 3) { x, g in
        let b = parameters
        let z = (x - b[2]) / b[1]
        let e = exp(-z * z / 2) / b[1]
        g[0] = e
        g[1] = b[0] * e * (z * z - 1) / b[1]
        g[2] = b[0] * e * z / b[1]
      }
    })

  /// y = b1 (1 - exp(-b2 x))
  static let boxBOD = CertifiedProblem(
    name: "BoxBOD",
    x: [
      1, 2, 3, 5, 7, 10,
    ],
    y: [
      109, 149, 149, 191, 213, 224,
    ],
    starts: [
      [1, 1],
      [100, 0.75],
    ],
    parameters: [
      213.80940889, 0.54723748542,
    ],
    standardErrors: [
      12.354515176, 0.10455993237,
    ],
    rss: 1168.0088766,
    residuals: { parameters, context, residuals in
      Samples(context).writeResiduals(residuals) { x in
        let b = parameters
        let e = exp(-b[1] * x)
        return b[0] * (1 - e)
      }
    },
    jacobian: { parameters, context, jacobian in
      Samples(context).writeJacobian(jacobian, columns: 2) { x, g in
        let b = parameters
        let e = exp(-b[1] * x)
        g[0] = 1 - e
        g[1] = b[0] * x * e
      }
    })

  /// y = b1 (x² + b2 x) / (x² + b3 x + b4)
  static let mgh09 = CertifiedProblem(
    name: "MGH09",
    x: [
      4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625,
    ],
    y: [
      0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246,
    ],
    starts: [
      [25, 39, 41.5, 39],
      [0.25, 0.39, 0.415, 0.39],
    ],
    parameters: [
      0.19280693458, 0.19128232873, 0.12305650693, 0.13606233068,
    ],
    standardErrors: [
      0.011435312227, 0.19633220911, 0.080842031232, 0.090025542308,
    ],
    rss: 0.00030750560385,
    residuals: { parameters, context, residuals in
      Samples(context).writeResiduals(residuals) { x in
        let b = parameters
        return b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3])
      }
    },
    jacobian: { parameters, context, jacobian in
      Samples(context).writeJacobian(jacobian, columns: 4) { x, g in
        let b = parameters
        let above = x * x + x * b[1]
        let below = x * x + x * b[2] + b[3]
        g[0] = above / below
        g[1] = b[0] * x / below
        g[2] = -b[0] * above * x / (below * below)
        g[3] = -b[0] * above / (below * below)
      }
    })

  /// y = b1 exp(b2 / (x + b3))
  static let mgh10 = CertifiedProblem(
    name: "MGH10",
    x: [
      50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100, 105, 110, 115, 120, 125,
    ],
    y: [
      34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820,
      3307, 2872,
    ],
    starts: [
      [2, 400000, 25000],
      [0.02, 4000, 250],
    ],
    parameters: [
      0.005609636471, 6181.3463463, 345.22363462,
    ],
    standardErrors: [
      0.00015687892471, 23.309021107, 0.78486103508,
    ],
    rss: 87.945855171,
    residuals: { parameters, context, residuals in
      Samples(context).writeResiduals(residuals) { x in
        let b = parameters
        return b[0] * exp(b[1] / (x + b[2]))
      }
    },
    jacobian: { parameters, context, jacobian in
      Samples(context).writeJacobian(jacobian, columns: 3) { x, g in
        let b = parameters
        let e = exp(b[1] / (x + b[2]))
        g[0] = e
        g[1] = b[0] * e / (x + b[2])
        g[2] = -b[0] * e * b[1] / ((x + b[2]) * (x + b[2]))
      }
    })

  /// y = b1 / (1 + exp(b2 - b3 x))^(1/b4)
  static let rat43 = CertifiedProblem(
    name: "Rat43",
    x: [
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    ],
    y: [
      16.08, 33.83, 65.8, 97.2, 191.55, 326.2, 386.87, 520.53, 590.03, 651.92, 724.93, 699.56,
      689.96, 637.56, 717.41,
    ],
    starts: [
      [100, 10, 1, 1],
      [700, 5, 0.75, 1.3],
    ],
    parameters: [
      699.6415127, 5.2771253025, 0.75962938329, 1.2792483859,
    ],
    standardErrors: [
      16.302297817, 2.0828735829, 0.19566123451, 0.68761936385,
    ],
    rss: 8786.404908,
    residuals: { parameters, context, residuals in
      Samples(context).writeResiduals(residuals) { x in
        let b = parameters
        return b[0] / pow(1 + exp(b[1] - b[2] * x), 1 / b[3])
      }
    },
    jacobian: { parameters, context, jacobian in
      Samples(context).writeJacobian(jacobian, columns: 4) { x, g in
        let b = parameters
        let e = exp(b[1] - b[2] * x)
        let y = b[0] / pow(1 + e, 1 / b[3])
        let slope = -y * e / ((1 + e) * b[3])
        g[0] = y / b[0]
        g[1] = slope
        g[2] = -x * slope
        g[3] = y * log(1 + e) / (b[3] * b[3])
      }
    })

  /// y = (b1 + b2 x + b3 x² + b4 x³) / (1 + b5 x + b6 x² + b7 x³)
  static let thurber = CertifiedProblem(
    name: "Thurber",
    x: [
      -3.067, -2.981, -2.921, -2.912, -2.84, -2.797, -2.702, -2.699, -2.633, -2.481, -2.363,
      -2.322, -1.501, -1.46, -1.274, -1.212, -1.1, -1.046, -0.915, -0.714, -0.566, -0.545, -0.4,
      -0.309, -0.109, -0.103, 0.01, 0.119, 0.377, 0.79, 0.963, 1.006, 1.115, 1.572, 1.841, 2.047,
      2.2,
    ],
    y: [
      80.574, 84.248, 87.264, 87.195, 89.076, 89.608, 89.868, 90.101, 92.405, 95.854, 100.696,
      101.06, 401.672, 390.724, 567.534, 635.316, 733.054, 759.087, 894.206, 990.785, 1090.109,
      1080.914, 1122.643, 1178.351, 1260.531, 1273.514, 1288.339, 1327.543, 1353.863, 1414.509,
      1425.208, 1421.384, 1442.962, 1464.35, 1468.705, 1447.894, 1457.628,
    ],
    starts: [
      [1000, 1000, 400, 40, 0.7, 0.3, 0.03],
      [1300, 1500, 500, 75, 1, 0.4, 0.05],
    ],
    parameters: [
      1288.13968, 1491.0792535, 583.23836877, 75.416644291, 0.96629502864, 0.39797285797,
      0.049727297349,
    ],
    standardErrors: [
      4.6647963344, 39.571156086, 28.698696102, 5.567537027, 0.031333340687, 0.014984928198,
      0.0065842344623,
    ],
    rss: 5642.7082397,
    residuals: { parameters, context, residuals in
      Samples(context).writeResiduals(residuals) { x in
        let b = parameters
        let above = b[0] + x * (b[1] + x * (b[2] + x * b[3]))
        return above / (1 + x * (b[4] + x * (b[5] + x * b[6])))
      }
    },
    jacobian: { parameters, context, jacobian in
      Samples(context).writeJacobian(jacobian, columns: 7) { x, g in
        let b = parameters
        let above = b[0] + x * (b[1] + x * (b[2] + x * b[3]))
        let below = 1 + x * (b[4] + x * (b[5] + x * b[6]))
        var power = 1.0
        for k in 0..<4 {
          g[k] = power / below
          if k > 0 { g[3 + k] = -power * above / (below * below) }
          power *= x
        }
      }
    })
}
