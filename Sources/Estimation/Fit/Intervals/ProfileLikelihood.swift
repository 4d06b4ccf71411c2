/// The profile likelihood of one coordinate, and the confidence limits from it.
///
/// The coordinate is fixed at a series of values while all others are re-optimised. A confidence limit is the value at
/// which the rise of the objective above its minimum equals the threshold (``ProfileCriterion``). Its signed root is
/// nearly linear in the coordinate (Bates & Watts 1988, section 6.1): growing steps outwards bracket the crossing, and
/// inverse quadratic interpolation of the signed root refines it. Both limits of several profiles are searched in
/// parallel, because descents are cheapest in batches of eight (``LaneDescent``).
struct ProfileLikelihood<Objective: ProfiledObjective> {
  /// The lowest visited point below the minimum from which the profile started; nil if there is none.
  private(set) var better: ProfilePoint?
  /// The coordinates at a search bound up to which the objective does not rise; nil if it does. The parameter then has
  /// no estimate, only a direction.
  private(set) var flatLimit: Coordinates?

  private let objective: Objective
  private let index: Int
  private let center: Double
  private var path: ProfilePath
  private var ends: [ProfileEnd] = []

  /// Prepares the profile of a coordinate.
  ///
  /// - Parameter tangent: The derivatives of all coordinates along the profile by this one; nil if unknown.
  init(_ objective: Objective, index: Int, tangent: Coordinates? = nil) {
    self.objective = objective
    self.index = index
    center = objective.center[index]
    let start = ProfilePoint(
      coordinates: Coordinates(objective.center), value: objective.minimumValue)
    path = ProfilePath(of: index, from: start, tangent: tangent ?? .zero)
  }

  /// Finds the confidence limits of some of the profiles, all in one batch of descents.
  ///
  /// - Parameter standardErrors: The standard errors of all coordinates, nil where unknown; they set the first steps.
  static func findEnds(
    of profiles: inout [Self], in indices: [Int], standardErrors: [Double?]
  ) throws(SeriesFailure) {
    guard let objective = profiles.first?.objective else { return }
    var requests: [DescentRequest] = []
    var points: [ProfilePoint] = []
    // The profile and side that each request belongs to.
    var owners: [(profile: Int, side: Int)] = []
    requests.reserveCapacity(64)
    points.reserveCapacity(64)
    owners.reserveCapacity(64)
    for index in indices {
      profiles[index].begin(standardError: standardErrors[index])
      for side in profiles[index].ends.indices {
        try profiles[index].enqueue(side, &requests)
        while owners.count < requests.count { owners.append((index, side)) }
      }
    }
    try objective.follow(&requests, .profile) { number, point, requests throws(SeriesFailure) in
      while points.count <= number { points.append(point) }
      points[number] = point
      let (index, side) = owners[number]
      profiles[index].ends[side].unanswered -= 1
      guard profiles[index].ends[side].unanswered == 0 else { return }
      try profiles[index].receive(points[profiles[index].ends[side].requests], side)
      try profiles[index].enqueue(side, &requests)
      while owners.count < requests.count { owners.append((index, side)) }
    }
  }

  /// The confidence limits as coordinates; nil for a limit that does not exist or was not searched.
  var interval: ParameterInterval {
    let low = ends.first?.end
    let high = ends.last?.end
    return ParameterInterval(low: low, high: high, isIdentifiable: low != nil && high != nil)
  }

  /// All visited points.
  var points: [ProfilePoint] { path.points }

  /// Returns true if a point lies below the threshold by more than rounding.
  func isBelowThreshold(_ point: ProfilePoint) -> Bool {
    point.value - objective.minimumValue < 0.99999 * objective.threshold
  }

  /// Adds a point found by another profile; the next search for the limits starts from it.
  mutating func insert(_ point: ProfilePoint) { path.insert(point) }

  /// Returns the rise of the objective above its minimum with the coordinate fixed at a value.
  mutating func rise(at coordinate: Double) throws(SeriesFailure) -> Double {
    recordRise(of: try point(at: coordinate))
  }

  /// Returns true if the objective rises only because another coordinate is at a search bound.
  func isLimitedByBound(at coordinate: Double) throws(SeriesFailure) -> Bool {
    try objective.isLimitedByBound(try point(at: coordinate), holding: index)
  }

  private func point(at coordinate: Double) throws(SeriesFailure) -> ProfilePoint {
    if let visited = path.point(at: coordinate) { return visited }
    var requests: [DescentRequest] = []
    path.eachStart(at: coordinate, sign: coordinate < center ? -1 : 1) {
      requests.append(request($0))
    }
    return lowest(try objective.points(requests, .profile)[...])
  }

  private func request(_ start: Coordinates) -> DescentRequest {
    objective.request(start, holding: CoordinateSet(index))
  }

  private func lowest(_ points: ArraySlice<ProfilePoint>) -> ProfilePoint {
    points.dropFirst().reduce(points[points.startIndex]) { $1.value < $0.value ? $1 : $0 }
  }

  /// Adds a point to the path and returns its rise above the minimum.
  private mutating func recordRise(of point: ProfilePoint) -> Double {
    path.insert(point)
    let rise = point.value - objective.minimumValue
    if rise < -ProfileCriterion.rounding, point.value < better?.value ?? .infinity {
      better = point
    }
    return rise.isNaN ? .infinity : rise
  }
}

// MARK: - Other branches

extension ProfileLikelihood {
  /// Relative distance below which two visited points count as one.
  private static var mergeDistance: Double { 0.02 }

  /// Visits the points below the threshold, outermost first on each side; points within 2 % of the distance to the last
  /// one are merged.
  func forEachDistinctPoint(_ body: (Coordinates) -> Void) {
    for sign in [-1.0, 1] {
      var last = center
      let points = path.points
      for number in points.indices {
        let point = points[sign < 0 ? number : points.count - 1 - number]
        let coordinate = point.coordinates[index]
        guard sign * (coordinate - center) > 0, isBelowThreshold(point),
          last == center || abs(coordinate - last) > Self.mergeDistance * abs(last - center)
        else { continue }
        body(point.coordinates)
        last = coordinate
      }
    }
  }

  /// Adds descents that re-optimise each limit from other visited points. A curve that stops at zero makes several local
  /// minima, so another branch of the profile may be lower at the limit than the one that was followed.
  ///
  /// The starts are:
  /// - all other points on the same side of this profile;
  /// - of each other profile, the point nearest to the limit;
  /// - all points of a profile without a limit on one side, since these span the whole search range;
  /// - the limits of a profile whose coordinate is at a bound, where the objective may be flat in it. Points at a bound
  ///   are lower than their neighbours, so that coordinate stays fixed.
  ///
  /// - Parameter others: The profiles of all coordinates, in order; empty if this is the only one.
  func recheckEnds(besides others: [Self] = [], _ requests: inout [DescentRequest]) {
    guard objective.center.count > 1 else { return }
    for side in ends {
      guard let end = side.end else { continue }
      for point in path.points {
        let coordinate = point.coordinates[index]
        guard side.sign * (coordinate - center) > 0,
          abs(coordinate - end) > Self.mergeDistance * abs(end - center)
        else { continue }
        requests.append(request(point.coordinates.moved(index, to: end)))
      }
    }
    for position in others.indices where position != index {
      let neighbour = others[position]
      let range = objective.range(of: neighbour.index)
      func isAtBound(_ point: Coordinates) -> Bool {
        point[neighbour.index] == range.lowerBound || point[neighbour.index] == range.upperBound
      }
      for end in ends.lazy.compactMap(\.end) {
        let near = neighbour.path.nearest(to: end, in: index).coordinates
        requests.append(request(near.moved(index, to: end)))
        if neighbour.ends.contains(where: { $0.end == nil }) {
          neighbour.forEachDistinctPoint { point in
            var start = request(point.moved(index, to: end))
            if isAtBound(point) { start.held.insert(CoordinateSet(neighbour.index)) }
            requests.append(start)
          }
        }
        let nearest = path.nearest(to: end, in: index).coordinates
        guard isAtBound(nearest) else { continue }
        for limit in neighbour.ends.lazy.compactMap(\.end) {
          let start = nearest.moved(index, to: end).moved(neighbour.index, to: limit)
          requests.append(request(start))
        }
      }
    }
  }
}

// MARK: - Confidence limits

extension ProfileLikelihood {
  private mutating func begin(standardError: Double?) {
    let range = objective.range(of: index)
    let stride = standardError.map { $0 * objective.threshold.squareRoot() } ?? .infinity
    ends = [range.lowerBound, range.upperBound].map { limit in
      let sign: Double = limit < center ? -1 : 1
      var farthest = center
      for point in path.points where isBelowThreshold(point) {
        if sign * (point.coordinates[index] - farthest) > 0 { farthest = point.coordinates[index] }
      }
      // Points farther out belong to a branch that is no longer the lowest.
      path.removeAll(beyond: farthest, sign: sign)
      return ProfileEnd(
        from: farthest, to: limit, sign: sign, firstStep: 0.6 * stride,
        isSmooth: objective.oneDescentSuffices)
    }
  }

  /// Adds the descents that the search for a limit needs next; none once it has ended.
  private mutating func enqueue(
    _ side: Int, _ requests: inout [DescentRequest]
  ) throws(SeriesFailure) {
    let first = requests.count
    while requests.count == first {
      switch ends[side].stage {
      case .found: return
      case .bracketing(let coordinate), .crossing(_, _, let coordinate):
        guard let visited = path.point(at: coordinate) else {
          path.eachStart(at: coordinate, sign: ends[side].sign, most: mostStarts(side)) {
            requests.append(request($0))
          }
          continue
        }
        try receive([visited], side)
      case .verifyingJump(let end):
        let sign = ends[side].sign
        for point in path.points where sign * (point.coordinates[index] - center) >= 0 {
          requests.append(request(point.coordinates.moved(index, to: end.coordinates[index])))
        }
      }
    }
    ends[side].requests = first..<requests.count
    ends[side].unanswered = requests.count - first
  }

  /// The number of starts for the next point. On a smooth profile one start is enough between visited points, since the
  /// limit is rechecked later; beyond them a second one looks ahead. With a single coordinate there is nothing to
  /// re-optimise.
  private func mostStarts(_ side: Int) -> Int {
    guard objective.center.count > 1 else { return 1 }
    guard ends[side].isSmooth else { return .max }
    return if case .bracketing = ends[side].stage { 2 } else { 1 }
  }

  private mutating func receive(
    _ points: ArraySlice<ProfilePoint>, _ side: Int
  ) throws(SeriesFailure) {
    switch ends[side].stage {
    case .found: break
    case .bracketing(let coordinate): bracket(lowest(points), at: coordinate, side)
    case .crossing(let inside, let outside, _):
      try closeIn(lowest(points), between: inside, and: outside, side)
    case .verifyingJump(let end):
      // A profile is continuous. An apparent jump over the threshold means that a descent from far away ended in a
      // higher local minimum, so the minimum was searched again from all points of this side.
      if let lower = points.first(where: isBelowThreshold) {
        resume(from: lower, side)
      } else {
        try finish(at: end, end: end.coordinates[index], side)
      }
    }
  }

  private mutating func bracket(_ point: ProfilePoint, at coordinate: Double, _ side: Int) {
    if point.isStuck { ends[side].isSmooth = false }
    guard !point.isStuck || !ends[side].shortenStep() else { return }
    let rise = recordRise(of: point)
    guard rise <= objective.threshold else {
      let last = ends[side].inside
      ends[side].beginCrossing(
        from: signedRoot(at: last), to: signedRoot(at: coordinate, rise),
        before: last == center ? nil : signedRoot(at: center))
      return
    }
    if coordinate == ends[side].limit, rise <= ProfileCriterion.rounding {
      flatLimit = point.coordinates
    }
    ends[side].stepOutward(center: center)
  }

  /// Refines a bracketed crossing: accepts a point on the threshold, else requests the interpolated one.
  private mutating func closeIn(
    _ point: ProfilePoint, between inside: ProfileEnd.Root, and outside: ProfileEnd.Root,
    _ side: Int
  ) throws(SeriesFailure) {
    let rise = recordRise(of: point)
    let root = signedRoot(at: point.coordinates[index], rise)
    if objective.interpolatesLimits, abs(root.excess) < ProfileEnd.nearEnough,
      let end = ProfileEnd.inverseQuadratic(inside, root, outside)
    {
      if objective.oneDescentSuffices {
        try finish(at: point, end: end, side)
      } else {
        try accept(point, end: end, side)
      }
    } else if abs(root.excess) < ProfileEnd.rounding {
      try accept(point, end: point.coordinates[index], side)
    } else if !ends[side].narrow(inside, outside, with: root) {
      let outer = path.point(at: ends[side].outside) ?? point
      try accept(outer, end: outer.coordinates[index], side)
    }
  }

  /// Accepts a crossing as a limit, unless the profile jumps there and must be followed further.
  private mutating func accept(
    _ point: ProfilePoint, end: Double, _ side: Int
  ) throws(SeriesFailure) {
    if ends[side].canResume, isBelowThreshold(point) {
      resume(from: point, side)
    } else if ends[side].canResume, isBeyond(point) {
      ends[side].isSmooth = false
      ends[side].stage = .verifyingJump(at: point)
    } else {
      try finish(at: point, end: end, side)
    }
  }

  /// Returns true if a point next to a limit is so far above the threshold that the profile jumps there.
  private func isBeyond(_ point: ProfilePoint) -> Bool {
    point.value - objective.minimumValue > 1.001 * objective.threshold
  }

  private mutating func resume(from point: ProfilePoint, _ side: Int) {
    ends[side].isSmooth = false
    path.removeAll(beyond: point.coordinates[index], sign: ends[side].sign)
    path.insert(point)
    ends[side].resume(from: point.coordinates[index])
  }

  /// Ends the search for a limit. There is none if a search bound of another coordinate causes the rise at the point or,
  /// where the profile jumps, at the last point before the jump; beyond it lies another branch.
  private mutating func finish(
    at point: ProfilePoint, end: Double, _ side: Int
  ) throws(SeriesFailure) {
    var isEnd = try !objective.isLimitedByBound(point, holding: index)
    let sign = ends[side].sign
    if isEnd, isBeyond(point),
      let last = path.points.filter({ point in
        let coordinate = sign * point.coordinates[index]
        return coordinate > sign * center && coordinate < sign * end && isBelowThreshold(point)
      }).max(by: { sign * $0.coordinates[index] < sign * $1.coordinates[index] })
    {
      isEnd = try !objective.isLimitedByBound(last, holding: index)
    }
    ends[side].stage = .found(isEnd ? end : nil)
  }

  /// Returns the signed root of a rise minus that of the threshold; without a rise, that of the visited point.
  private func signedRoot(at coordinate: Double, _ rise: Double? = nil) -> ProfileEnd.Root {
    let rise =
      rise ?? (path.point(at: coordinate)?.value ?? objective.minimumValue) - objective.minimumValue
    return ProfileEnd.Root(
      coordinate: coordinate,
      excess: max(0, rise).squareRoot() - objective.threshold.squareRoot())
  }
}

/// The search for one confidence limit, from the estimate outwards.
///
/// Steps grow until the profile is above the threshold. The bracketed crossing is then refined by inverse quadratic
/// interpolation or, where that leaves the bracket, by the Illinois variant of false position (Dowell & Jarratt 1971).
struct ProfileEnd {
  /// A coordinate with the signed root of the profile there minus that of the threshold.
  struct Root {
    let coordinate: Double
    var excess: Double
  }

  /// The stage of the search, with the coordinate that is evaluated next.
  enum Stage {
    /// Steps outwards until the threshold is crossed.
    case bracketing(at: Double)
    /// Refines the crossing between an inner and an outer point.
    case crossing(Root, Root, at: Double)
    /// Repeats the minimisation from other starts at a point where the profile seems to jump.
    case verifyingJump(at: ProfilePoint)
    /// The search has ended; nil if there is no limit.
    case found(Double?)
  }

  /// Excess, in standard errors, below which the interpolated coordinate is accepted without another descent. Its error
  /// is a hundred times smaller, and twenty times where a profile bends most.
  static let nearEnough = 1e-5
  /// Excess below which a point counts as on the threshold; smaller values are rounding.
  static let rounding = 1e-6
  /// Refinements after which a crossing does not count as smooth.
  private static let mostSmooth = 4
  /// The longest first step: a factor of 1.6 for most parameters.
  private static let longestFirstStep = 0.5
  private static let shortestStep = 1e-4
  /// A bracket narrower than this contains a jump.
  private static let narrowest = 1e-7

  let limit: Double
  let sign: Double
  /// The outermost coordinate below the threshold.
  private(set) var inside: Double
  /// The innermost coordinate above the threshold; the limit of the search until there is one.
  private(set) var outside: Double
  var stage = Stage.found(nil)
  /// True while no visited point suggests another branch of the profile.
  var isSmooth: Bool
  /// The indices of the requests of the current stage.
  var requests = 0..<0
  /// The number of these requests without a result.
  var unanswered = 0
  private var step: Double
  private var isFlat = false
  private var narrowed = 0
  /// The end of the bracket that was moved last: 1 the outer, -1 the inner, 0 none.
  private var lastMoved = 0

  init(from inside: Double, to limit: Double, sign: Double, firstStep: Double, isSmooth: Bool) {
    self.inside = inside
    self.limit = limit
    self.sign = sign
    self.isSmooth = isSmooth
    outside = limit
    step = min(max(firstStep, Self.shortestStep), Self.longestFirstStep)
    bracket()
  }

  /// The coordinate of the limit; nil if there is none.
  var end: Double? { if case .found(let end) = stage { end } else { nil } }

  /// True if steps are long enough to look beyond a crossing.
  var canResume: Bool { step > Self.shortestStep }

  private mutating func bracket() {
    stage =
      inside == limit || step <= 0
      ? .found(nil)
      : .bracketing(at: step < abs(limit - inside) ? inside + sign * step : limit)
  }

  /// Shortens the step after a descent that could not move; false if it cannot be shorter, which means that the curve
  /// is zero there for all values of the other parameters.
  mutating func shortenStep() -> Bool {
    guard !isFlat, step >= Self.shortestStep else {
      isFlat = true
      return false
    }
    step /= 4
    bracket()
    return true
  }

  /// Steps outwards from a point below the threshold.
  ///
  /// Steps go well beyond the extrapolated limit: another branch of the profile may be lower there, and is then followed
  /// back to where it becomes so.
  mutating func stepOutward(center: Double) {
    if case .bracketing(let coordinate) = stage { inside = coordinate }
    step = min(1.8 * step, 0.8 * abs(inside - center))
    bracket()
  }

  /// Resumes stepping outwards, in smaller steps, from a point that proved to be below the threshold.
  mutating func resume(from coordinate: Double) {
    inside = coordinate
    step /= 4
    bracket()
  }

  /// Begins to refine a bracketed crossing.
  ///
  /// - Parameter before: A point farther inside; nil if there is none.
  mutating func beginCrossing(from inside: Root, to outside: Root, before: Root?) {
    self.outside = outside.coordinate
    lastMoved = 0
    let aim = before.flatMap { Self.inverseQuadratic($0, inside, outside) }
    stage = .crossing(inside, outside, at: Self.next(aim, inside, outside))
  }

  /// Replaces one end of the bracket by a point inside it; false if the bracket cannot get narrower.
  mutating func narrow(_ inside: Root, _ outside: Root, with point: Root) -> Bool {
    var inside = inside
    var outside = outside
    let aim = Self.inverseQuadratic(inside, point, outside)
    narrowed += 1
    if narrowed > Self.mostSmooth { isSmooth = false }
    // Illinois: halving the excess of the end that stays prevents false position from stalling on one side.
    if point.excess > 0 {
      if lastMoved == 1 { inside.excess /= 2 }
      outside = point
      lastMoved = 1
    } else {
      if lastMoved == -1 { outside.excess /= 2 }
      inside = point
      lastMoved = -1
    }
    self.outside = outside.coordinate
    guard abs(outside.coordinate - inside.coordinate) > Self.narrowest else { return false }
    stage = .crossing(inside, outside, at: Self.next(aim, inside, outside))
    return true
  }

  /// Returns an aim inside the bracket unchanged; else the false position, or the midpoint if the signed root is far
  /// from linear, as where the curve falls to zero.
  private static func next(_ aim: Double?, _ inside: Root, _ outside: Root) -> Double {
    let a = inside.coordinate
    let b = outside.coordinate
    if let aim, aim > min(a, b), aim < max(a, b) { return aim }
    guard inside.excess < 0, outside.excess < -8 * inside.excess else { return a / 2 + b / 2 }
    return a + inside.excess / (inside.excess - outside.excess) * (b - a)
  }

  /// Returns the coordinate at excess 0 on the parabola through three points, coordinate as a function of excess; nil
  /// unless the excess rises from each to the next.
  static func inverseQuadratic(_ a: Root, _ b: Root, _ c: Root) -> Double? {
    guard a.excess < b.excess, b.excess < c.excess, c.excess.isFinite else { return nil }
    let ab = (b.coordinate - a.coordinate) / (b.excess - a.excess)
    let bc = (c.coordinate - b.coordinate) / (c.excess - b.excess)
    let bend = (bc - ab) / (c.excess - a.excess)
    return a.coordinate - a.excess * ab + a.excess * b.excess * bend
  }
}
