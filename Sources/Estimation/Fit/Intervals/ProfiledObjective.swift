/// What a profile follows: something with a minimum, one coordinate of which can be held.
protocol ProfiledObjective {
  /// The coordinates at the minimum.
  var center: [Double] { get }
  /// The measure at the minimum.
  var bottom: Double { get }
  /// The largest rise above it that does not rule a value out.
  var threshold: Double { get }
  /// From where to where a coordinate is followed.
  func range(of index: Int) -> ClosedRange<Double>
  /// The measure at the minimum of the other coordinates, and where that minimum is.
  ///
  /// - Parameter others: A start for the other coordinates.
  func minimum(
    holding index: Int, at coordinate: Double, from others: [Double]
  ) throws(SeriesFailure) -> ProfilePoint
  /// Whether the measure at a point is what it is because the search for another coordinate stops.
  func isCutShort(_ point: ProfilePoint, holding index: Int) -> Bool
}
