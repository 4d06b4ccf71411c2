/// A point of a profile.
struct ProfilePoint {
  /// Where the coordinate is held.
  let coordinate: Double
  /// The other coordinates at their best.
  let others: [Double]
  /// The measure there.
  let value: Double
  /// Whether the curve is the same all around, as where it is zero at every reading: a descent that
  /// begins there has nowhere to go.
  var isLost = false

  /// All coordinates, given the index of the one that is held.
  func coordinates(holding index: Int) -> [Double] {
    var all = others
    all.insert(coordinate, at: index)
    return all
  }

  /// The same point in the profile of another coordinate; of that profile it need not be the lowest.
  func moved(from index: Int, to other: Int) -> ProfilePoint {
    var others = coordinates(holding: index)
    let coordinate = others.remove(at: other)
    return ProfilePoint(coordinate: coordinate, others: others, value: value)
  }
}
