extension NISTModel {
  /// y = (b1 + b2 x + b3 x² + b4 x³) / (1 + b5 x + b6 x² + b7 x³)
  static let cubicOverCubic = NISTModel(
    residuals: { b, context, residuals in
      NISTObservations.at(context).write(residuals) { x in
        (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) / (1 + x * (b[4] + x * (b[5] + x * b[6])))
      }
    },
    jacobian: { b, context, jacobian in
      NISTObservations.at(context).write(jacobian, columns: 7) { x, row in
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
