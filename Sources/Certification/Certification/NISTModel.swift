import Estimation
import RealModule

/// A model of a NIST problem and its analytic Jacobian.
struct NISTModel: Sendable {
  /// Writes numbers at the parameters; false where they cannot be computed.
  typealias Function =
    @Sendable (
      _ parameters: UnsafePointer<Double>, _ observations: NISTObservations,
      _ numbers: UnsafeMutablePointer<Double>
    ) -> Bool

  /// Whether it is a model of the logarithm of the response.
  var isOfLogarithm = false

  /// Writes model minus response at each observation.
  let residuals: Function

  /// Writes the derivatives of the model by each parameter, row-major.
  let jacobian: Function
}

/// The observations of a NIST problem, as its model reads them.
struct NISTObservations: Sendable {
  /// The response.
  let y: [Double]
  /// The first predictor.
  let x: [Double]
  /// The second predictor; the first once more where there is only one.
  let x2: [Double]

  /// Writes model minus response at each observation; what a residual function answers.
  func write(_ residuals: UnsafeMutablePointer<Double>, model: (Double) -> Double) -> Bool {
    for i in y.indices { residuals[i] = model(x[i]) - y[i] }
    return true
  }

  /// Writes model minus response for two predictors; what a residual function answers.
  func write(_ residuals: UnsafeMutablePointer<Double>, model: (Double, Double) -> Double) -> Bool {
    for i in y.indices { residuals[i] = model(x[i], x2[i]) - y[i] }
    return true
  }

  /// Lets `gradient` write each row; what a Jacobian function answers.
  func write(
    _ jacobian: UnsafeMutablePointer<Double>,
    columns: Int,
    gradient: (Double, UnsafeMutablePointer<Double>) -> Void
  ) -> Bool {
    for i in y.indices { gradient(x[i], jacobian + i * columns) }
    return true
  }

  /// Lets `gradient` write each row for two predictors; what a Jacobian function answers.
  func write(
    _ jacobian: UnsafeMutablePointer<Double>,
    columns: Int,
    gradient: (Double, Double, UnsafeMutablePointer<Double>) -> Void
  ) -> Bool {
    for i in y.indices { gradient(x[i], x2[i], jacobian + i * columns) }
    return true
  }
}

/// A NIST problem as the engine takes it, without bounds.
final class NISTSum: SumOfSquares {
  let residualCount: Int
  let lowest: [Double]
  let highest: [Double]
  /// Its sums of squares are never taken for rounding, whatever their size.
  let roundingError = 0.0

  private let model: NISTModel
  private let observations: NISTObservations

  init(_ problem: NISTProblem) {
    let columns = problem.columns
    let y = columns.first ?? []
    model = problem.model
    observations = NISTObservations(
      y: model.isOfLogarithm ? y.map { .log($0) } : y,
      x: columns.dropFirst().first ?? [], x2: columns.dropFirst().last ?? [])
    residualCount = y.count
    lowest = problem.parameters.map { _ in -.infinity }
    highest = problem.parameters.map { _ in .infinity }
  }

  func write(
    residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    model.residuals(coordinates, observations, residuals)
  }

  func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    model.jacobian(coordinates, observations, jacobian)
  }
}

extension NISTModel {
  /// y = b1 (1 − exp(−b2 x))
  static let saturation = NISTModel(
    residuals: { b, observations, residuals in
      observations.write(residuals) { x in
        -b[0] * Double.expMinusOne(-b[1] * x)
      }
    },
    jacobian: { b, observations, jacobian in
      observations.write(jacobian, columns: 2) { x, row in
        row[0] = -Double.expMinusOne(-b[1] * x)
        row[1] = b[0] * x * Double.exp(-b[1] * x)
      }
    })
}

extension NISTModel {
  /// y = exp(−b1 x) / (b2 + b3 x)
  static let decayOverLine = NISTModel(
    residuals: { b, observations, residuals in
      observations.write(residuals) { x in
        Double.exp(-b[0] * x) / (b[1] + b[2] * x)
      }
    },
    jacobian: { b, observations, jacobian in
      observations.write(jacobian, columns: 3) { x, row in
        let line = b[1] + b[2] * x
        let value = Double.exp(-b[0] * x) / line
        row[0] = -x * value
        row[1] = -value / line
        row[2] = -x * value / line
      }
    })
}

extension NISTModel {
  /// y = b1 exp(−b2 x) + b3 exp(−b4 x) + b5 exp(−b6 x)
  static let threeExponentials = NISTModel(
    residuals: { b, observations, residuals in
      observations.write(residuals) { x in
        b[0] * Double.exp(-b[1] * x) + b[2] * Double.exp(-b[3] * x) + b[4] * Double.exp(-b[5] * x)
      }
    },
    jacobian: { b, observations, jacobian in
      observations.write(jacobian, columns: 6) { x, row in
        for term in stride(from: 0, through: 4, by: 2) {
          let decay = Double.exp(-b[term + 1] * x)
          row[term] = decay
          row[term + 1] = -b[term] * x * decay
        }
      }
    })
}

extension NISTModel {
  /// y = (b1 + b2 x + b3 x² + b4 x³) / (1 + b5 x + b6 x² + b7 x³)
  static let cubicOverCubic = NISTModel(
    residuals: { b, observations, residuals in
      observations.write(residuals) { x in
        (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) / (1 + x * (b[4] + x * (b[5] + x * b[6])))
      }
    },
    jacobian: { b, observations, jacobian in
      observations.write(jacobian, columns: 7) { x, row in
        let numerator = b[0] + x * (b[1] + x * (b[2] + x * b[3]))
        let denominator = 1 + x * (b[4] + x * (b[5] + x * b[6]))
        let slope = -numerator / (denominator * denominator)
        row[0] = 1 / denominator
        row[1] = x / denominator
        row[2] = x * x / denominator
        row[3] = x * x * x / denominator
        row[4] = x * slope
        row[5] = x * x * slope
        row[6] = x * x * x * slope
      }
    })
}

extension NISTModel {
  /// y = b1 exp(−b2 x) + b3 exp(−(x − b4)²/b5²) + b6 exp(−(x − b7)²/b8²)
  static let twoGaussians = NISTModel(
    residuals: { b, observations, residuals in
      observations.write(residuals) { x in
        let first = (x - b[3]) / b[4]
        let second = (x - b[6]) / b[7]
        return b[0] * Double.exp(-b[1] * x) + b[2] * Double.exp(-first * first) + b[5]
          * Double.exp(-second * second)
      }
    },
    jacobian: { b, observations, jacobian in
      observations.write(jacobian, columns: 8) { x, row in
        let decay = Double.exp(-b[1] * x)
        row[0] = decay
        row[1] = -b[0] * x * decay
        for peak in stride(from: 2, through: 5, by: 3) {
          let z = (x - b[peak + 1]) / b[peak + 2]
          let value = Double.exp(-z * z)
          row[peak] = value
          row[peak + 1] = 2 * b[peak] * value * z / b[peak + 2]
          row[peak + 2] = 2 * b[peak] * value * z * z / b[peak + 2]
        }
      }
    })
}
