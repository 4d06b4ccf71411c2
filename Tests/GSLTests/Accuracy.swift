#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The fewest correct digits among some values: the log relative error −log₁₀ |a − b| / |b|.
func correctDigits(_ values: [Double], _ expected: [Double]) -> Double {
  zip(values, expected).map { -log10(abs($0 - $1) / abs($1)) }.min() ?? .infinity
}
