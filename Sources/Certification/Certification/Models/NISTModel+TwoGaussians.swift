import RealModule

extension NISTModel {
  /// y = b1 exp(−b2 x) + b3 exp(−(x − b4)²/b5²) + b6 exp(−(x − b7)²/b8²)
  static let twoGaussians = NISTModel(
    residuals: { b, context, residuals in
      NISTObservations.at(context).write(residuals) { x in
        let first = (x - b[3]) / b[4]
        let second = (x - b[6]) / b[7]
        return b[0] * Double.exp(-b[1] * x) + b[2] * Double.exp(-first * first) + b[5]
          * Double.exp(-second * second)
      }
    },
    jacobian: { b, context, jacobian in
      NISTObservations.at(context).write(jacobian, columns: 8) { x, row in
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
