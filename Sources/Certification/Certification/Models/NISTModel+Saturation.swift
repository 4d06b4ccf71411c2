import RealModule

extension NISTModel {
  /// y = b1 (1 − exp(−b2 x))
  static let saturation = NISTModel(
    residuals: { b, context, residuals in
      NISTObservations.at(context).write(residuals) { x in
        -b[0] * Double.expMinusOne(-b[1] * x)
      }
    },
    jacobian: { b, context, jacobian in
      NISTObservations.at(context).write(jacobian, columns: 2) { x, row in
        row[0] = -Double.expMinusOne(-b[1] * x)
        row[1] = b[0] * x * Double.exp(-b[1] * x)
      }
    })
}
