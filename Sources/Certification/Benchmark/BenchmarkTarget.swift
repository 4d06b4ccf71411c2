/// What a work is to reach.
public enum BenchmarkTarget: Hashable, Sendable {
  /// So many times the speed of its reference, measured in the same run.
  case ratio(Double)
  /// So many of its unit a second on one core.
  case rate(Double)
}
