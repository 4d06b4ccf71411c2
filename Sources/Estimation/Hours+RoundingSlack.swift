package import AlcoholKinetics

extension Hours {
  /// What is nothing between two times, a few microseconds.
  ///
  /// Times come from sums in h, in which whole minutes are rounded; the slack keeps a reading that was
  /// taken exactly at a limit on the right side of it.
  package static let roundingSlack: Hours = 1e-9
}
