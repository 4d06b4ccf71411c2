import RealModule

extension NISTModel {
  /// y = exp(−b1 x) / (b2 + b3 x)
  static let decayOverLine = NISTModel(
    residuals: { b, context, residuals in
      NISTObservations.at(context).write(residuals) { x in
        Double.exp(-b[0] * x) / (b[1] + b[2] * x)
      }
    },
    jacobian: { b, context, jacobian in
      NISTObservations.at(context).write(jacobian, columns: 3) { x, row in
        let line = b[1] + b[2] * x
        let value = Double.exp(-b[0] * x) / line
        row[0] = -x * value
        row[1] = -value / line
        row[2] = -x * value / line
      }
    })
}
