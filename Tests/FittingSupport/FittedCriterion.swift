import AlcoholKinetics
package import Estimation
import Foundation
import GSL

extension SeriesFit {
  /// By what solutions of one series with the same options are compared, worked out again from the
  /// readings of the fit: what a loss costs, whose scale all solutions share, and otherwise the restricted
  /// deviance sum(2 ln sigma + u^2) - 2 sum(ln Phi) - 2 p ln s (Davidian & Giltinan 1995), s the geometric
  /// mean of sigma over quantified readings.
  package func criterion(_ options: FitOptions) -> Double {
    guard options.loss == .linear else { return objective }
    var deviance = 0.0
    var logarithms: [Double] = []
    for reading in readings where reading.use.isUsed {
      guard let sigma = reading.standardDeviation else { return objective }
      if let limit = reading.limit {
        let excess = (reading.predicted - limit).value / sigma
        if options.selection.censoring == .m3 {
          deviance -= 2 * StandardNormal.logLowerTail(-excess)
        } else if excess > 0 {
          deviance += excess * excess + 2 * log(sigma)
        }
      } else {
        let u = reading.residual.value / sigma
        deviance += u * u + 2 * log(sigma)
        logarithms.append(log(sigma))
      }
    }
    guard noise?.isEstimated == true else { return deviance }
    let mean = logarithms.reduce(0, +) / Double(max(1, logarithms.count))
    return deviance - 2 * Double(estimates.count) * mean
  }

  /// Whether the curve is zero at every reading that was fitted.
  package var predictsNothing: Bool {
    readings.allSatisfy { !$0.use.isUsed || $0.predicted <= 0 }
  }
}
