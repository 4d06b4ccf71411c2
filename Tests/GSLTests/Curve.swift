import GSL

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A curve through points, which owns the memory its problem points to.
final class Curve {
  let problem: LeastSquaresProblem
  private let memory: UnsafeMutablePointer<Double>

  init(
    x: [Double],
    y: [Double],
    parameterCount: Int,
    residuals: LeastSquaresProblem.Residuals,
    jacobian: LeastSquaresProblem.Jacobian
  ) {
    let values = [Double(x.count)] + x + y
    memory = .allocate(capacity: values.count)
    memory.initialize(from: values, count: values.count)
    problem = LeastSquaresProblem(
      residualCount: x.count, parameterCount: parameterCount, context: memory,
      residuals: residuals, jacobian: jacobian)
  }

  deinit {
    memory.deallocate()
  }
}

extension Curve {
  /// y = 2 (1 - e^(-x/2)) without noise, to be fitted by y = b1 (1 - e^(-b2 x)).
  static var saturation: Curve {
    let x: [Double] = [1, 2, 3, 4, 6, 8]
    return Curve(
      x: x,
      y: x.map { 2 * (1 - exp(-0.5 * $0)) },
      parameterCount: 2,
      residuals: CertifiedProblem.misra1a.residuals,
      jacobian: CertifiedProblem.misra1a.jacobian)
  }

  /// y = (b1 + b2) x through (1, 1), (2, 2) and (3, 4): only the sum is determined, as 17/14.
  static var undetermined: Curve {
    Curve(
      x: [1, 2, 3], y: [1, 2, 4], parameterCount: 2,
      residuals: { b, context, residuals in
        Samples(context).writeResiduals(residuals) { x in (b[0] + b[1]) * x }
      },
      jacobian: { _, context, jacobian in
        Samples(context).writeJacobian(jacobian, columns: 2) { x, row in
          row[0] = x
          row[1] = x
        }
      })
  }

  /// A straight line y = b1 + b2 x.
  static func line(x: [Double], y: [Double]) -> Curve {
    Curve(
      x: x,
      y: y,
      parameterCount: 2,
      residuals: { b, context, residuals in
        Samples(context).writeResiduals(residuals) { x in b[0] + b[1] * x }
      },
      jacobian: { _, context, jacobian in
        Samples(context).writeJacobian(jacobian, columns: 2) { x, row in
          row[0] = 1
          row[1] = x
        }
      })
  }
}
