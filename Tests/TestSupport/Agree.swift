/// Whether two numbers agree but for rounding.
///
/// - Parameters:
///   - relative: the tolerance as a fraction of the expected number.
///   - absolute: the tolerance where the expected number is zero or a difference of larger ones.
public func agree(
  _ found: Double?, _ expected: Double?, relative: Double = 1e-12, absolute: Double = 1e-13
) -> Bool {
  guard let found, let expected else { return found == nil && expected == nil }
  return abs(found - expected) <= max(relative * abs(expected), absolute)
}

/// Whether two numbers differ by so much at most, or neither is there.
public func agree(_ found: Double?, _ expected: Double?, within tolerance: Double) -> Bool {
  agree(found, expected, relative: 0, absolute: tolerance)
}
