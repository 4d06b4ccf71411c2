public import AlcoholKinetics

/// A point of a fitted curve with its confidence interval.
public struct CurvePoint: Codable, Hashable, Sendable {
  /// The time, on the clock of the series.
  public let time: Hours
  /// The concentration there.
  public let concentration: GramsPerKilogram
  /// The lower end; nil where there is no covariance to compute it from.
  public let low: GramsPerKilogram?
  /// The upper end.
  public let high: GramsPerKilogram?
}

extension SeriesFit {
  /// Returns the fitted curve with a pointwise confidence band.
  ///
  /// The band is f +- t sqrt(d^T C d), d being the derivatives of the curve by the estimated
  /// parameters and C their covariance (delta method; Bates & Watts 1988, section 2.3). It is the
  /// uncertainty of the curve, not that of a reading, and is conditional on parameters at a bound.
  ///
  /// Where the curve has stopped at zero, f and d are those of the line continued without the stop, and the band is cut
  /// off at zero: its upper edge thus continues down and shows until when there may be alcohol left. After another drink
  /// the upper edge is that of the highest of these lines, since the blood may not have been empty before.
  ///
  /// - Parameters:
  ///   - times: The times, on the clock of the series, in any order.
  ///   - level: The confidence level of the band, between 0 and 1.
  /// - Returns: One point for each time, in the order of the times; empty if a time is not finite or the curve cannot be
  ///   computed.
  public func band(at times: [Hours], level: Double) -> [CurvePoint] {
    guard times.allSatisfy(\.value.isFinite) else { return [] }
    // Curves are computed forwards only.
    let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
    guard order.elementsEqual(times.indices) else {
      let points = self.band(at: order.map { times[$0] }, level: level)
      var sorted = points
      for (index, point) in zip(order, points) { sorted[index] = point }
      return sorted
    }
    let hours = times.map(\.value)
    guard let curve = parameters.samples(of: self.curve.regimen, at: hours),
      let unstopped = parameters.samples(of: self.curve.regimen, at: hours, isUnstopped: true)
    else { return [] }
    var band = CurveBand(self, level: level)
    let gain = values[known: .gain]
    return times.indices.map { index in
      let edges = band?.edges(at: curve[index], unstopped: unstopped[index])
      return CurvePoint(
        time: times[index],
        concentration: GramsPerKilogram(gain * curve[index].concentration),
        low: edges.map { GramsPerKilogram($0.low) }, high: edges.map { GramsPerKilogram($0.high) })
    }
  }
}
