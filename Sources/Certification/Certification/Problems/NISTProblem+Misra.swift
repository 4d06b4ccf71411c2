extension NISTProblem {
  /// Monomolecular adsorption in dental research, volume against pressure (Misra, 1978).
  static let misra1a = NISTProblem(
    name: "Misra1a",
    difficulty: .lower,
    formula: "y = b1*(1-exp[-b2*x]) + e",
    model: .saturation,
    starts: [
      [500, 0.0001],
      [250, 0.0005],
    ],
    parameters: [238.94212918, 0.00055015643181],
    standardDeviations: [2.7070075241, 7.2668688436e-06],
    rss: 0.12455138894,
    residualSD: 0.1018787633,
    degreesOfFreedom: 12,
    data: misraData)
}

extension NISTProblem {
  /// Monomolecular adsorption in dental research, volume against pressure (Misra, 1978).
  static let misra1b = NISTProblem(
    name: "Misra1b",
    difficulty: .lower,
    formula: "y = b1 * (1-(1+b2*x/2)**(-2)) + e",
    model: NISTModel(
      residuals: { b, observations, residuals in
        observations.write(residuals) { x in
          let u = 0.5 * b[1] * x
          let q = 1 / (1 + u)
          return b[0] * u * q * (1 + q)
        }
      },
      jacobian: { b, observations, jacobian in
        observations.write(jacobian, columns: 2) { x, row in
          let u = 0.5 * b[1] * x
          let q = 1 / (1 + u)
          row[0] = u * q * (1 + q)
          row[1] = b[0] * x * q * q * q
        }
      }),
    starts: [
      [500, 0.0001],
      [300, 0.0002],
    ],
    parameters: [337.99746163, 0.00039039091287],
    standardDeviations: [3.1643950207, 4.2547321834e-06],
    rss: 0.075464681533,
    residualSD: 0.079301471998,
    degreesOfFreedom: 12,
    data: misraData)
}

extension NISTProblem {
  /// Monomolecular adsorption in dental research, volume against pressure (Misra, 1978).
  static let misra1c = NISTProblem(
    name: "Misra1c",
    difficulty: .average,
    formula: "y = b1 * (1-(1+2*b2*x)**(-.5)) + e",
    model: NISTModel(
      residuals: { b, observations, residuals in
        observations.write(residuals) { x in
          b[0] * (1 - 1 / (1 + 2 * b[1] * x).squareRoot())
        }
      },
      jacobian: { b, observations, jacobian in
        observations.write(jacobian, columns: 2) { x, row in
          let q = 1 / (1 + 2 * b[1] * x).squareRoot()
          row[0] = 1 - q
          row[1] = b[0] * x * q * q * q
        }
      }),
    starts: [
      [500, 0.0001],
      [600, 0.0002],
    ],
    parameters: [636.42725809, 0.00020813627256],
    standardDeviations: [4.6638326572, 1.7728423155e-06],
    rss: 0.040966836971,
    residualSD: 0.058428615257,
    degreesOfFreedom: 12,
    data: misraData)
}

extension NISTProblem {
  /// Monomolecular adsorption in dental research, volume against pressure (Misra, 1978).
  static let misra1d = NISTProblem(
    name: "Misra1d",
    difficulty: .average,
    formula: "y = b1*b2*x*((1+b2*x)**(-1)) + e",
    model: NISTModel(
      residuals: { b, observations, residuals in
        observations.write(residuals) { x in
          b[0] * b[1] * x / (1 + b[1] * x)
        }
      },
      jacobian: { b, observations, jacobian in
        observations.write(jacobian, columns: 2) { x, row in
          let q = 1 / (1 + b[1] * x)
          row[0] = b[1] * x * q
          row[1] = b[0] * x * q * q
        }
      }),
    starts: [
      [500, 0.0001],
      [450, 0.0003],
    ],
    parameters: [437.36970754, 0.00030227324449],
    standardDeviations: [3.6489174345, 2.9334354479e-06],
    rss: 0.056419295283,
    residualSD: 0.068568272111,
    degreesOfFreedom: 12,
    data: misraData)
}

/// The data of the four problems: volume and pressure.
private let misraData = """
  10.07E0 77.6E0; 14.73E0 114.9E0; 17.94E0 141.1E0; 23.93E0 190.8E0; 29.61E0 239.9E0
  35.18E0 289.0E0; 40.02E0 332.8E0; 44.82E0 378.4E0; 50.76E0 434.8E0; 55.05E0 477.3E0
  61.01E0 536.8E0; 66.40E0 593.1E0; 75.47E0 689.1E0; 81.78E0 760.0E0
  """
