import RealModule

extension NISTModel {
  /// y = b1 exp(−b2 x) + b3 exp(−b4 x) + b5 exp(−b6 x)
  static let threeExponentials = NISTModel(
    residuals: { b, context, residuals in
      NISTObservations.at(context).write(residuals) { x in
        b[0] * Double.exp(-b[1] * x) + b[2] * Double.exp(-b[3] * x) + b[4] * Double.exp(-b[5] * x)
      }
    },
    jacobian: { b, context, jacobian in
      NISTObservations.at(context).write(jacobian, columns: 6) { x, row in
        for term in stride(from: 0, through: 4, by: 2) {
          let decay = Double.exp(-b[term + 1] * x)
          row[term] = decay
          row[term + 1] = -b[term] * x * decay
        }
      }
    })
}
