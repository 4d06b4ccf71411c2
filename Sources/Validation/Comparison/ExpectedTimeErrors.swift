import AlcoholKinetics
import Estimation
import RealModule
import StudyData

/// Expected absolute errors of each method's predicted times in each series, by one distribution of
/// measured times for all methods, so that the comparison of two methods does not depend on the
/// others.
///
/// A series' measured time T lies between limits. The logarithm of T / D is assumed normal, D being
/// the dose per kg of body weight, and fitted by maximum likelihood (`CensoredNormalFit`). The
/// expected |P - T| is its mean between the limits. If these are close together, the distribution
/// hardly matters; if T is later than both of two predictions, their difference does not depend on
/// it.
///
/// If there are r-factor methods, models computed elsewhere do not affect the fit, so that the
/// results of r methods are the same with and without them.
enum ExpectedTimeErrors {
  /// The expected absolute errors in min, by series and method.
  ///
  /// - Parameters:
  ///   - errors: The errors of each series as intervals, method by method.
  ///   - isGiven: Whether each of them belongs to a model computed elsewhere.
  /// - Returns: Nil where no error is known. Where the distribution is not determined, but every
  ///   time is beyond all predictions for it, errors from its limit, whose differences are exact;
  ///   otherwise all nil.
  static func magnitudes(
    _ errors: [[SobrietyError?]], isGiven: [[Bool]], of series: [Series]
  ) -> [[Double?]] {
    let hasMethods = isGiven.contains { $0.contains(false) }
    let deciding = zip(errors, isGiven).map { errors, isGiven in
      zip(errors, isGiven).map { hasMethods && $1 ? nil : $0 }
    }
    let doses = series.map { series in
      (try? series.regimen())?.total.value ?? 0
    }
    let ratios = zip(errors, doses).map { errors, dose -> Interval? in
      guard dose > 0, let error = errors.lazy.compactMap(\.self).first else { return nil }
      let measured = error.measured
      return Interval(
        low: Double.log(measured.low) - Double.log(dose),
        high: Double.log(measured.high) - Double.log(dose))
    }
    let normal = CensoredNormalFit(
      zip(ratios, deciding).compactMap { ratio, errors in
        errors.contains { $0 != nil } ? ratio : nil
      })
    let beyond = deciding.map { limitBeyond($0) }
    let isSure = zip(deciding, beyond).allSatisfy { errors, limit in
      limit != nil || errors.allSatisfy { $0 == nil }
    }
    return errors.indices.map { series -> [Double?] in
      errors[series].map { error -> Double? in
        guard let predicted = error?.predictedMinutes else { return nil }
        guard let normal else {
          guard isSure, let limit = beyond[series], let measured = error?.measured else {
            return nil
          }
          let isBeyond = limit == measured.low ? predicted <= limit : predicted >= limit
          return isBeyond ? abs(predicted - limit) : nil
        }
        return ratios[series].map { ratio in
          doses[series]
            * normal.exponentials(in: [ratio], from: predicted / doses[series])[0].distance
        }
      }
    }
  }

  /// The limit of a measured time certainly later, or earlier, than all predictions; nil without
  /// one.
  private static func limitBeyond(_ errors: [SobrietyError?]) -> Double? {
    let predicted = errors.compactMap { $0?.predictedMinutes }
    guard let measured = errors.lazy.compactMap({ $0?.measured }).first,
      let least = predicted.min(), let most = predicted.max()
    else { return nil }
    if most <= measured.low { return measured.low }
    return least >= measured.high ? measured.high : nil
  }
}
