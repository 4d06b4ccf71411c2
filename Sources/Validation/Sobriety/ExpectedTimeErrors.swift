import Estimation
import RealModule

/// How far each method's predicted times are expected to be off in each series, by one distribution of measured times for
/// all methods, so that methods are compared on the same times.
///
/// A series' measured time T lies between limits. The logarithm of T / R is taken to be normal, R being the geometric
/// mean of the methods' predictions for the series; by maximum likelihood (`CensoredMaximum`). Expected of |P - T| is
/// then its mean between the limits. Of a time between two readings that are close together the distribution says next
/// to nothing, and of a time later than both of two predictions their difference does not depend on it.
enum ExpectedTimeErrors {
  /// The expected absolute errors in min, by series and method.
  ///
  /// - Parameter errors: What is known of the errors of each series, method by method.
  /// - Returns: Nil where nothing is known. Where readings do not determine the distribution, errors are those from the
  ///   limit of a time that lies beyond all predictions, whose differences are the true ones; nil otherwise.
  static func magnitudes(_ errors: [[SobrietyError?]]) -> [[Double?]] {
    let references = errors.map { reference($0) }
    let ratios = zip(errors, references).map { errors, reference -> Interval? in
      guard let reference, let error = errors.lazy.compactMap(\.self).first else { return nil }
      return logRatio(error.measuredMinutes, reference)
    }
    let normal = CensoredMaximum(ratios.compactMap(\.self))
    return errors.indices.map { series -> [Double?] in
      errors[series].map { error -> Double? in
        guard let predicted = error?.predictedMinutes else { return nil }
        guard let normal else {
          return limitBeyond(errors[series]).map { abs(predicted - $0) }
        }
        guard let reference = references[series], let ratio = ratios[series] else { return nil }
        return reference * normal.meanDistance(ofExponentialFrom: predicted / reference, in: ratio)
      }
    }
  }

  /// The limit of a measured time that is certainly later than all predictions, or earlier; nil if there is none.
  private static func limitBeyond(_ errors: [SobrietyError?]) -> Double? {
    let predicted = errors.compactMap { $0?.predictedMinutes }
    guard let measured = errors.lazy.compactMap({ $0?.measuredMinutes }).first,
      let least = predicted.min(), let most = predicted.max()
    else { return nil }
    if most <= measured.low { return measured.low }
    return least >= measured.high ? measured.high : nil
  }

  /// The geometric mean of the predicted times; nil if none is above 0.
  private static func reference(_ errors: [SobrietyError?]) -> Double? {
    let logs = errors.compactMap { $0?.predictedMinutes }.filter { $0 > 0 }.map { Double.log($0) }
    return logs.isEmpty ? nil : Double.exp(logs.reduce(0, +) / Double(logs.count))
  }

  private static func logRatio(_ measured: Interval, _ reference: Double) -> Interval {
    Interval(
      low: Double.log(measured.low) - Double.log(reference),
      high: Double.log(measured.high) - Double.log(reference))
  }
}
