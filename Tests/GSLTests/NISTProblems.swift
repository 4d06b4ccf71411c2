import GSL

// Models of NIST's problems as C functions; the numbers come from NIST's files (`datasets/nist-strd`).

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
    "Misra1a",
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
    "Eckerle4",
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
    "BoxBOD",
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
    "MGH09",
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
    "MGH10",
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
    "Rat43",
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
    "Thurber",
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
