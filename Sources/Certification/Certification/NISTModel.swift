import Estimation
import RealModule

/// A model of a NIST problem and its analytic gradient, at one observation.
struct NISTModel: Sendable {
  /// Whether it is a model of the logarithm of the response.
  var isOfLogarithm = false

  /// The model at parameters b and predictors x and x2. Where there is one predictor, x2 is x.
  let value: @Sendable (_ b: UnsafePointer<Double>, _ x: Double, _ x2: Double) -> Double

  /// Writes the derivatives of the model by each parameter.
  let gradient:
    @Sendable (
      _ b: UnsafePointer<Double>, _ x: Double, _ x2: Double, _ row: UnsafeMutablePointer<Double>
    ) -> Void
}

/// A NIST problem as an objective of the engine, without bounds.
final class NISTSum: SumOfSquares {
  let residualCount: Int
  let lowest: [Double]
  let highest: [Double]
  /// Sums of squares of any size count, however small.
  let roundingError = 0.0

  private let model: NISTModel
  private let y: [Double]
  private let x: [Double]
  private let x2: [Double]

  init(_ problem: NISTProblem) {
    model = problem.model
    y = model.isOfLogarithm ? problem.responses.map { .log($0) } : problem.responses
    x = problem.predictors.first ?? []
    x2 = problem.predictors.last ?? []
    residualCount = y.count
    lowest = problem.parameters.map { _ in -.infinity }
    highest = problem.parameters.map { _ in .infinity }
  }

  func write(
    residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    for i in y.indices { residuals[i] = model.value(coordinates, x[i], x2[i]) - y[i] }
    return true
  }

  func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    for i in y.indices {
      model.gradient(coordinates, x[i], x2[i], jacobian + i * lowest.count)
    }
    return true
  }
}

extension NISTModel {
  /// The model of each problem, by NIST's name.
  static let byName: [String: NISTModel] = [
    "Bennett5": bennett5, "BoxBOD": saturation, "Chwirut1": decayOverLine,
    "Chwirut2": decayOverLine, "DanWood": danWood, "ENSO": enso, "Eckerle4": eckerle4,
    "Gauss1": twoGaussians, "Gauss2": twoGaussians, "Gauss3": twoGaussians,
    "Hahn1": rational(degree: 3), "Kirby2": rational(degree: 2), "Lanczos1": threeExponentials,
    "Lanczos2": threeExponentials, "Lanczos3": threeExponentials, "MGH09": mgh09, "MGH10": mgh10,
    "MGH17": mgh17, "Misra1a": saturation, "Misra1b": misra1b, "Misra1c": misra1c,
    "Misra1d": misra1d, "Nelson": nelson, "Rat42": rat42, "Rat43": rat43, "Roszman1": roszman1,
    "Thurber": rational(degree: 3),
  ]

  /// y = b1 (1 − exp(−b2 x))
  private static let saturation = NISTModel(
    value: { b, x, _ in -b[0] * Double.expMinusOne(-b[1] * x) },
    gradient: { b, x, _, row in
      row[0] = -Double.expMinusOne(-b[1] * x)
      row[1] = b[0] * x * Double.exp(-b[1] * x)
    })

  /// y = exp(−b1 x) / (b2 + b3 x)
  private static let decayOverLine = NISTModel(
    value: { b, x, _ in Double.exp(-b[0] * x) / (b[1] + b[2] * x) },
    gradient: { b, x, _, row in
      let line = b[1] + b[2] * x
      let value = Double.exp(-b[0] * x) / line
      row[0] = -x * value
      row[1] = -value / line
      row[2] = -x * value / line
    })

  /// y = b1 exp(−b2 x) + b3 exp(−b4 x) + b5 exp(−b6 x)
  private static let threeExponentials = NISTModel(
    value: { b, x, _ in
      b[0] * Double.exp(-b[1] * x) + b[2] * Double.exp(-b[3] * x) + b[4] * Double.exp(-b[5] * x)
    },
    gradient: { b, x, _, row in
      for term in stride(from: 0, through: 4, by: 2) {
        let decay = Double.exp(-b[term + 1] * x)
        row[term] = decay
        row[term + 1] = -b[term] * x * decay
      }
    })

  /// y = (b1 + b2 x + ... + bn+1 xⁿ) / (1 + bn+2 x + ... + b2n+1 xⁿ)
  private static func rational(degree n: Int) -> NISTModel {
    // By Horner's rule.
    @Sendable func parts(
      _ b: UnsafePointer<Double>, _ x: Double
    ) -> (numerator: Double, denominator: Double) {
      var numerator = b[n]
      var denominator = b[2 * n]
      for power in (0..<n).reversed() {
        numerator = b[power] + x * numerator
        denominator = (power == 0 ? 1 : b[n + power]) + x * denominator
      }
      return (numerator, denominator)
    }
    return NISTModel(
      value: { b, x, _ in
        let (numerator, denominator) = parts(b, x)
        return numerator / denominator
      },
      gradient: { b, x, _, row in
        let (numerator, denominator) = parts(b, x)
        let slope = -numerator / (denominator * denominator)
        row[0] = 1 / denominator
        var factor = 1.0
        for power in 1...n {
          factor *= x
          row[power] = factor / denominator
          row[n + power] = factor * slope
        }
      })
  }

  /// y = b1 exp(−b2 x) + b3 exp(−(x − b4)²/b5²) + b6 exp(−(x − b7)²/b8²)
  private static let twoGaussians = NISTModel(
    value: { b, x, _ in
      let first = (x - b[3]) / b[4]
      let second = (x - b[6]) / b[7]
      return b[0] * Double.exp(-b[1] * x) + b[2] * Double.exp(-first * first) + b[5]
        * Double.exp(-second * second)
    },
    gradient: { b, x, _, row in
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
    })

  private static let bennett5 = NISTModel(
    value: { b, x, _ in b[0] * Double.pow(b[1] + x, -1 / b[2]) },
    gradient: { b, x, _, row in
      let base = b[1] + x
      let power = Double.pow(base, -1 / b[2])
      row[0] = power
      row[1] = -b[0] * power / (b[2] * base)
      row[2] = b[0] * power * Double.log(base) / (b[2] * b[2])
    })

  private static let enso = NISTModel(
    value: { b, x, _ in
      let year = 2 * Double.pi * x / 12
      let second = 2 * Double.pi * x / b[3]
      let third = 2 * Double.pi * x / b[6]
      return b[0] + b[1] * Double.cos(year) + b[2] * Double.sin(year) + b[4]
        * Double.cos(second) + b[5] * Double.sin(second)
        + b[7] * Double.cos(third) + b[8] * Double.sin(third)
    },
    gradient: { b, x, _, row in
      let year = 2 * Double.pi * x / 12
      let second = 2 * Double.pi * x / b[3]
      let third = 2 * Double.pi * x / b[6]
      row[0] = 1
      row[1] = Double.cos(year)
      row[2] = Double.sin(year)
      row[3] = (b[4] * Double.sin(second) - b[5] * Double.cos(second)) * second / b[3]
      row[4] = Double.cos(second)
      row[5] = Double.sin(second)
      row[6] = (b[7] * Double.sin(third) - b[8] * Double.cos(third)) * third / b[6]
      row[7] = Double.cos(third)
      row[8] = Double.sin(third)
    })

  private static let rat42 = NISTModel(
    value: { b, x, _ in b[0] / (1 + Double.exp(b[1] - b[2] * x)) },
    gradient: { b, x, _, row in
      let q = 1 / (1 + Double.exp(b[1] - b[2] * x))
      // e q, which stays finite where e = Double.exp(b2 − b3 x) overflows.
      let s = 1 / (1 + Double.exp(b[2] * x - b[1]))
      row[0] = q
      row[1] = -b[0] * q * s
      row[2] = b[0] * x * q * s
    })

  private static let rat43 = NISTModel(
    value: { b, x, _ in
      b[0] * Double.exp(-Double.log(onePlus: Double.exp(b[1] - b[2] * x)) / b[3])
    },
    gradient: { b, x, _, row in
      let e = Double.exp(b[1] - b[2] * x)
      let power = Double.exp(-Double.log(onePlus: e) / b[3])
      // e / (1 + e), which stays finite where e overflows.
      let s = 1 / (1 + Double.exp(b[2] * x - b[1]))
      row[0] = power
      row[1] = -b[0] * power * s / b[3]
      row[2] = b[0] * x * power * s / b[3]
      row[3] = b[0] * power * Double.log(onePlus: e) / (b[3] * b[3])
    })

  private static let mgh09 = NISTModel(
    value: { b, x, _ in b[0] * x * (x + b[1]) / (x * (x + b[2]) + b[3]) },
    gradient: { b, x, _, row in
      let denominator = x * (x + b[2]) + b[3]
      let ratio = x * (x + b[1]) / denominator
      row[0] = ratio
      row[1] = b[0] * x / denominator
      row[2] = -b[0] * ratio * x / denominator
      row[3] = -b[0] * ratio / denominator
    })

  private static let mgh10 = NISTModel(
    value: { b, x, _ in b[0] * Double.exp(b[1] / (x + b[2])) },
    gradient: { b, x, _, row in
      let shifted = x + b[2]
      let value = Double.exp(b[1] / shifted)
      row[0] = value
      row[1] = b[0] * value / shifted
      row[2] = -b[0] * value * b[1] / (shifted * shifted)
    })

  private static let mgh17 = NISTModel(
    value: { b, x, _ in
      b[0] + b[1] * Double.exp(-x * b[3]) + b[2] * Double.exp(-x * b[4])
    },
    gradient: { b, x, _, row in
      let first = Double.exp(-x * b[3])
      let second = Double.exp(-x * b[4])
      row[0] = 1
      row[1] = first
      row[2] = second
      row[3] = -b[1] * x * first
      row[4] = -b[2] * x * second
    })

  private static let misra1b = NISTModel(
    value: { b, x, _ in
      let u = 0.5 * b[1] * x
      let q = 1 / (1 + u)
      return b[0] * u * q * (1 + q)
    },
    gradient: { b, x, _, row in
      let u = 0.5 * b[1] * x
      let q = 1 / (1 + u)
      row[0] = u * q * (1 + q)
      row[1] = b[0] * x * q * q * q
    })

  private static let misra1c = NISTModel(
    value: { b, x, _ in b[0] * (1 - 1 / (1 + 2 * b[1] * x).squareRoot()) },
    gradient: { b, x, _, row in
      let q = 1 / (1 + 2 * b[1] * x).squareRoot()
      row[0] = 1 - q
      row[1] = b[0] * x * q * q * q
    })

  private static let misra1d = NISTModel(
    value: { b, x, _ in b[0] * b[1] * x / (1 + b[1] * x) },
    gradient: { b, x, _, row in
      let q = 1 / (1 + b[1] * x)
      row[0] = b[1] * x * q
      row[1] = b[0] * x * q * q
    })

  private static let nelson = NISTModel(
    isOfLogarithm: true,
    value: { b, weeks, temperature in
      b[0] - b[1] * weeks * Double.exp(-b[2] * temperature)
    },
    gradient: { b, weeks, temperature, row in
      let decay = Double.exp(-b[2] * temperature)
      row[0] = 1
      row[1] = -weeks * decay
      row[2] = b[1] * weeks * temperature * decay
    })

  private static let danWood = NISTModel(
    value: { b, x, _ in b[0] * Double.pow(x, b[1]) },
    gradient: { b, x, _, row in
      let power = Double.pow(x, b[1])
      row[0] = power
      row[1] = b[0] * power * Double.log(x)
    })

  private static let eckerle4 = NISTModel(
    value: { b, x, _ in
      let z = (x - b[2]) / b[1]
      return b[0] / b[1] * Double.exp(-0.5 * z * z)
    },
    gradient: { b, x, _, row in
      let z = (x - b[2]) / b[1]
      let peak = Double.exp(-0.5 * z * z) / b[1]
      row[0] = peak
      row[1] = b[0] * peak * (z * z - 1) / b[1]
      row[2] = b[0] * peak * z / b[1]
    })

  private static let roszman1 = NISTModel(
    value: { b, x, _ in
      b[0] - b[1] * x - Double.atan(b[2] / (x - b[3])) / Double.pi
    },
    gradient: { b, x, _, row in
      let distance = x - b[3]
      let scale = 1 / (Double.pi * (distance * distance + b[2] * b[2]))
      row[0] = 1
      row[1] = -x
      row[2] = -distance * scale
      row[3] = -b[2] * scale
    })
}
