import RealModule

extension NISTProblem {
  /// Circular interference transmittance against wavelength (Eckerle).
  static let eckerle4 = NISTProblem(
    name: "Eckerle4",
    difficulty: .higher,
    formula: "y = (b1/b2) * exp[-0.5*((x-b3)/b2)**2] + e",
    model: NISTModel(
      residuals: { b, context, residuals in
        NISTObservations.at(context).write(residuals) { x in
          let z = (x - b[2]) / b[1]
          return b[0] / b[1] * Double.exp(-0.5 * z * z)
        }
      },
      jacobian: { b, context, jacobian in
        NISTObservations.at(context).write(jacobian, columns: 3) { x, row in
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
      0.0001575E0 400.000000E0
      0.0001699E0 405.000000E0
      0.0002350E0 410.000000E0
      0.0003102E0 415.000000E0
      0.0004917E0 420.000000E0
      0.0008710E0 425.000000E0
      0.0017418E0 430.000000E0
      0.0046400E0 435.000000E0
      0.0065895E0 436.500000E0
      0.0097302E0 438.000000E0
      0.0149002E0 439.500000E0
      0.0237310E0 441.000000E0
      0.0401683E0 442.500000E0
      0.0712559E0 444.000000E0
      0.1264458E0 445.500000E0
      0.2073413E0 447.000000E0
      0.2902366E0 448.500000E0
      0.3445623E0 450.000000E0
      0.3698049E0 451.500000E0
      0.3668534E0 453.000000E0
      0.3106727E0 454.500000E0
      0.2078154E0 456.000000E0
      0.1164354E0 457.500000E0
      0.0616764E0 459.000000E0
      0.0337200E0 460.500000E0
      0.0194023E0 462.000000E0
      0.0117831E0 463.500000E0
      0.0074357E0 465.000000E0
      0.0022732E0 470.000000E0
      0.0008800E0 475.000000E0
      0.0004579E0 480.000000E0
      0.0002345E0 485.000000E0
      0.0001586E0 490.000000E0
      0.0001143E0 495.000000E0
      0.0000710E0 500.000000E0
      """)
}
