import AlcoholKinetics
import GSL
import RealModule

/// Computes derived quantities of a solution, with intervals of the same kind as those of its parameters.
struct DerivedIntervals {
  /// The source of the intervals.
  enum Source {
    case none
    case wald
    case profile(ProfilePass)
    /// The fitted replicates, in coordinates.
    case bootstrap(FitBootstrap, [[Double]])
  }

  let solver: FitSolver
  /// The solution, its covariance and the intervals of the free parameters.
  let result: FitIntervals
  let level: Double
  let source: Source

  /// The largest number of times that limits are rechecked and searched again.
  private static let mostCorrections = 3
  /// The change of the quantity, of its logarithm or in h, that is negligible.
  private static let negligible = 1e-6
  /// The change of the quantity, of its logarithm or in h, that is noticeable when a parameter at a bound changes by a
  /// factor of e.
  private static let noticeable = 0.002
  /// A substitute for infinity in quantiles, far beyond any logarithm or time in h.
  private static let beyondAll = 1e12

  /// Returns the requested quantities, in order.
  func estimates(_ options: DerivedOptions) throws(SeriesFailure) -> [DerivedEstimate] {
    var estimates: [DerivedEstimate] = []
    for quantity in options.quantities {
      let function = QuantityFunction(
        quantity: quantity, threshold: options.threshold, layout: layout,
        regimen: solver.problem.elapsedRegimen)
      estimates.append(try estimate(function))
    }
    return estimates
  }

  private var solution: Solution { result.solution }
  private var covariance: CoordinateCovariance { result.covariance }
  private var layout: ParameterLayout { solver.problem.layout }
  private var coordinates: [Double] { solution.minimum.coordinates }

  private func estimate(_ function: QuantityFunction) throws(SeriesFailure) -> DerivedEstimate {
    let value = function.value(layout.values(at: coordinates))
    let gradient = value == nil ? nil : function.gradient(at: coordinates)
    let isEstimated = gradient?.contains { abs($0) > Self.negligible } ?? (value != nil)
    var interval = ParameterInterval()
    var error: Double?
    if let value, let gradient, isEstimated {
      error = standardError(gradient)
      interval = try self.interval(of: function, value: value, gradient, error)
    }
    let atBound = solution.atBound
    let isAtLimit = function.onlyParameter.flatMap(layout.free.firstIndex).map(atBound.contains)
    let isOneSided = (interval.low == nil) != (interval.high == nil)
    let isOpen = isAtLimit ?? false || isOneSided && !atBound.isEmpty
    return DerivedEstimate(
      quantity: function.quantity, value: isOpen ? nil : value.map { function.reported($0) },
      standardError: error.flatMap { error in
        let scale = function.quantity.isLogarithmic ? value ?? .nan : 1
        let reported: Double = function.reported(error * scale)
        return reported.isFinite ? reported : nil
      },
      low: interval.low.map { function.reported(scaled: $0) },
      high: interval.high.map { function.reported(scaled: $0) },
      threshold: function.quantity == .timeToThreshold ? function.threshold.value : nil,
      isEstimated: isEstimated)
  }

  /// Returns the interval on the scale of the quantity.
  private func interval(
    of function: QuantityFunction, value: Double, _ gradient: [Double], _ error: Double?
  ) throws(SeriesFailure) -> ParameterInterval {
    if case .none = source { return ParameterInterval() }
    if let parameter = function.onlyParameter { return transformed(function, parameter) }
    let origin = function.quantity.isLogarithmic ? Double.log(value) : value
    switch source {
    case .none: return ParameterInterval()
    case .wald:
      guard let error,
        let quantile = ConfidenceQuantile(solver.problem, solution, level: level)
      else { return ParameterInterval() }
      return ParameterInterval(
        low: origin - quantile.value * error, high: origin + quantile.value * error)
    case .profile(let pass):
      return try profiled(function, origin: origin, gradient, error, pass)
    case .bootstrap(let bootstrap, let replicates):
      return quantiles(function, bootstrap, replicates)
    }
  }

  /// Returns the standard error by the delta method, on the scale of the quantity; nil without a covariance, or if the
  /// quantity depends on a parameter at a bound, which has no covariance.
  private func standardError(_ gradient: [Double]) -> Double? {
    let moved = covariance.moved
    guard let values = covariance.values,
      gradient.indices.allSatisfy({
        moved.contains($0) || abs(gradient[$0]) < Self.noticeable
      })
    else { return nil }
    var variance = 0.0
    for (row, i) in moved.enumerated() {
      for (column, j) in moved.enumerated() {
        variance += gradient[i] * values[row * moved.count + column] * gradient[j]
      }
    }
    return variance >= 0 && variance.isFinite ? variance.squareRoot() : nil
  }

  /// Returns the interval of a quantity that depends on one parameter, transformed from that of the parameter.
  private func transformed(
    _ function: QuantityFunction, _ parameter: FitParameter
  ) -> ParameterInterval {
    guard let index = layout.free.firstIndex(of: parameter) else { return ParameterInterval() }
    let ends = [result.intervals[index].low, result.intervals[index].high].map { end in
      end.flatMap { coordinate in
        var values = layout.values(at: coordinates)
        values[known: parameter] = parameter.value(at: coordinate)
        return function.value(values).map { Double.log($0) }
      }
    }
    let isFalling = parameter == .ka || parameter == .r
    return ParameterInterval(low: ends[isFalling ? 1 : 0], high: ends[isFalling ? 0 : 1])
  }

  // MARK: Profiles

  private func profiled(
    _ function: QuantityFunction, origin: Double, _ gradient: [Double], _ error: Double?,
    _ pass: ProfilePass
  ) throws(SeriesFailure) -> ParameterInterval {
    guard
      let objective = ProfiledQuantity(
        solver, solution, function, origin: origin, standardError: error, level: level)
    else { return ParameterInterval() }
    let index = objective.index
    let unit = 1 / objective.coordinate(of: origin + 1)
    let step = error.map { $0 / unit }
    var profiles = [
      ProfileLikelihood(
        objective, index: index,
        tangent: tangent(gradient, error).map { Coordinates($0.map { $0 * unit } + [1]) })
    ]
    // Points of the parameters' profiles bound the profile of the quantity from above, so they are good starts.
    let visited = pass.profiles.flatMap { profile in profile.points.filter(profile.isBelowThreshold)
    }
    .compactMap { point -> ProfilePoint? in
      let coordinates = point.coordinates.array(index)
      return function.scaled(at: coordinates).map {
        ProfilePoint(
          coordinates: Coordinates(coordinates + [objective.coordinate(of: $0)]),
          value: point.value)
      }
    }
    let range = objective.range(of: index)
    let within = visited.filter { range.contains($0.coordinates[index]) }
    if let lowest = within.min(by: { $0.coordinates[index] < $1.coordinates[index] }),
      let highest = within.max(by: { $0.coordinates[index] < $1.coordinates[index] })
    {
      for point in [lowest, highest] where abs(point.coordinates[index]) > Self.negligible {
        profiles[0].insert(point)
      }
    }
    try ProfileLikelihood.findEnds(of: &profiles, in: [0], standardErrors: [step])
    for _ in 0..<Self.mostCorrections {
      var requests: [DescentRequest] = []
      profiles[0].recheckEnds(&requests)
      let better = try objective.points(requests, .profile).filter(profiles[0].isBelowThreshold)
      guard !better.isEmpty else { break }
      for point in better { profiles[0].insert(point) }
      try ProfileLikelihood.findEnds(of: &profiles, in: [0], standardErrors: [step])
    }
    guard !objective.isExhausted else { return ParameterInterval() }
    // A visited point below the threshold beyond the range means that there is no limit within it.
    let interval = profiles[0].interval
    let isOpen = (
      low: visited.contains { $0.coordinates[index] < range.lowerBound },
      high: visited.contains { $0.coordinates[index] > range.upperBound }
    )
    return ParameterInterval(
      low: isOpen.low ? nil : quantity(function, at: interval.low, profiles[0].points, index),
      high: isOpen.high ? nil : quantity(function, at: interval.high, profiles[0].points, index))
  }

  /// Returns the derivatives of the coordinates by the quantity along its profile, at the solution; nil without a covariance.
  private func tangent(_ gradient: [Double], _ error: Double?) -> [Double]? {
    guard let error, error > 0, let values = covariance.values else { return nil }
    let moved = covariance.moved
    var tangent = gradient.map { _ in 0.0 }
    for (row, i) in moved.enumerated() {
      for (column, j) in moved.enumerated() {
        tangent[i] += values[row * moved.count + column] * gradient[j] / (error * error)
      }
    }
    return tangent.allSatisfy(\.isFinite) ? tangent : nil
  }

  /// Returns the quantity at a limit of its profile; nil if the curve has no value there.
  private func quantity(
    _ function: QuantityFunction, at end: Double?, _ points: [ProfilePoint], _ index: Int
  ) -> Double? {
    guard let end, let point = points.first(where: { $0.coordinates[index] == end }) else {
      return nil
    }
    let coordinates = point.coordinates.array(index)
    guard function.value(layout.values(at: coordinates)) != nil else { return nil }
    return function.scaled(at: coordinates)
  }

  // MARK: Replicates

  /// Returns quantiles over replicates. A replicate without a value, whose curve stays below the threshold, counts as
  /// minus infinity; one with a parameter at a search bound counts as infinite in the direction of that bound.
  private func quantiles(
    _ function: QuantityFunction, _ bootstrap: FitBootstrap, _ replicates: [[Double]]
  ) -> ParameterInterval {
    let values = replicates.map { coordinates -> Double in
      guard function.value(layout.values(at: coordinates)) != nil,
        let value = function.scaled(at: coordinates)
      else { return -Self.beyondAll }
      for index in coordinates.indices where layout.isAtDefaultBound(index, coordinates[index]) {
        let inward: Double = coordinates[index] <= layout.lowest[index] ? 1 : -1
        var inside = coordinates
        inside[index] += inward
        guard let inner = function.scaled(at: inside), abs(inner - value) > Self.noticeable else {
          continue
        }
        return value < inner ? -Self.beyondAll : Self.beyondAll
      }
      return value
    }
    guard let (low, high) = bootstrap.quantiles(of: values) else { return ParameterInterval() }
    return ParameterInterval(
      low: abs(low) < Self.beyondAll / 1e6 ? low : nil,
      high: abs(high) < Self.beyondAll / 1e6 ? high : nil)
  }
}
