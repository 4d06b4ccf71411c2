internal import CGSL

/// The minimum of a function of one number in an interval.
///
/// Equally spaced points are evaluated first, so that of several minima the lowest is found unless its valley is narrower
/// than their distance. The valley is then searched by Brent's method.
///
/// Source: Brent, "Algorithms for Minimization without Derivatives" (1973), chapter 5; computed by
/// GSL's `gsl_min_fminimizer_brent`.
package struct BracketedMinimum: Hashable, Sendable {
  /// The position of the minimum.
  package let x: Double

  /// The value of the function there.
  package let value: Double

  /// True if the minimum is an end of the interval, beyond which the function may be smaller.
  package let isAtEnd: Bool

  /// Finds the minimum.
  ///
  /// The function may return an infinity, or NaN where it has no value; such points are not candidates for the minimum.
  /// It is not called outside the interval.
  ///
  /// - Throws: ``GSLError`` for an invalid interval or tolerance, and if the function has no finite value.
  ///
  /// The tolerances are on x. Rounding in the function hides the minimum: the search does not go
  /// below a relative 6e-8, four times the square root of the machine precision.
  package static func find(
    from lower: Double,
    to upper: Double,
    points: Int = 25,
    absoluteTolerance: Double = 1e-10,
    relativeTolerance: Double = 1e-7,
    iterationLimit: Int = 200,
    of function: (Double) -> Double
  ) throws(GSLError) -> BracketedMinimum {
    let search = try BracketedSearch(
      from: lower, to: upper, absoluteTolerance: absoluteTolerance,
      relativeTolerance: relativeTolerance, smallestTolerance: smallestTolerance,
      iterationLimit: iterationLimit)
    guard points >= 3 else { throw .invalid("\(points) points do not enclose a minimum") }
    guard let minimizer = gsl_min_fminimizer_alloc(cgsl_min_brent()) else {
      throw .outOfMemory("a minimiser")
    }
    defer { gsl_min_fminimizer_free(minimizer) }
    let outcome = withoutActuallyEscaping(function) { function in
      let function = ScalarFunction(function, notANumber: .infinity)
      let valley = Valley(function, search, points: points)
      return (valley, valley.isClosed ? descend(minimizer, function, search, valley) : 0)
    }
    let (valley, status) = outcome
    guard valley.bottom.value < .greatestFiniteMagnitude else {
      throw GSLError(
        code: Int32(GSL_EBADFUNC), reason: "the function has no finite value at \(points) points")
    }
    try BracketedSearch.check(status)
    guard valley.isClosed else {
      return BracketedMinimum(
        x: valley.bottom.x, value: valley.bottom.value,
        isAtEnd: valley.bottom.x == lower || valley.bottom.x == upper)
    }
    return BracketedMinimum(
      x: gsl_min_fminimizer_x_minimum(minimizer), value: gsl_min_fminimizer_f_minimum(minimizer),
      isAtEnd: false)
  }

  /// GSL's steps are no shorter than a quarter of this, so that narrower intervals are not reached.
  private static let smallestTolerance = 4 * Double.ulpOfOne.squareRoot()

  /// Searches a closed valley, and returns GSL's status.
  private static func descend(
    _ minimizer: UnsafeMutablePointer<gsl_min_fminimizer>,
    _ function: ScalarFunction,
    _ search: BracketedSearch,
    _ valley: Valley
  ) -> Int32 {
    function.withGSLFunction { function in
      let status = gsl_min_fminimizer_set_with_values(
        minimizer, function, valley.bottom.x, valley.bottom.value, valley.lower.x,
        valley.lower.value, valley.upper.x, valley.upper.value)
      guard status == GSL_SUCCESS else { return status }
      return search.iterate {
        let status = gsl_min_fminimizer_iterate(minimizer)
        return (
          status, gsl_min_fminimizer_x_lower(minimizer), gsl_min_fminimizer_x_upper(minimizer)
        )
      }
    }
  }
}

extension BracketedMinimum {
  /// The smallest of equally spaced points, and the nearest larger ones on both sides of it.
  private struct Valley {
    typealias Point = (x: Double, value: Double)

    var lower: Point
    var bottom: Point
    var upper: Point

    /// True if the points on both sides are larger; if not, the bottom is at or extends to an end.
    var isClosed: Bool {
      lower.value > bottom.value && upper.value > bottom.value
    }

    init(_ function: ScalarFunction, _ search: BracketedSearch, points: Int) {
      lower = (search.lower, function(search.lower))
      bottom = lower
      upper = lower
      var last = lower
      for i in 1..<points {
        let fraction = Double(i) / Double(points - 1)
        let x =
          i == points - 1
          ? search.upper : search.lower + fraction * (search.upper - search.lower)
        let point = (x, function(x))
        if point.1 < bottom.value {
          lower = last
          bottom = point
          upper = point
        } else if upper.value == bottom.value {
          upper = point
        }
        last = point
      }
    }
  }
}
