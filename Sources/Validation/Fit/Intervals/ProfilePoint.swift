/// A point of a profile.
struct ProfilePoint {
  /// Where the coordinate is held.
  let coordinate: Double
  /// The other coordinates at their best.
  let others: [Double]
  /// The measure there.
  let value: Double
}
