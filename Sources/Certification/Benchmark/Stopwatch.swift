/// Measures how long something takes.
enum Stopwatch {
  /// Seconds on a clock that never goes back.
  static func seconds(_ work: () -> Void) -> Double {
    let duration = ContinuousClock().measure(work)
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
