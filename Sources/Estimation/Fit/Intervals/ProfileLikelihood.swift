/// The profile of one coordinate: how much worse the best fit gets as it is moved away from its
/// estimate and the others follow.
///
/// An end of its interval is where the signed root of the rise above the minimum, for a smooth profile nearly a straight
/// line, crosses that of the threshold (Bates & Watts 1988, section 6.1). Steps from the estimate outwards bracket the
/// crossing, and inverse quadratic interpolation of the signed root closes in on it. The two ends, and those of several
/// profiles, are looked for side by side, so that their descents can be made at once.
struct ProfileLikelihood<Objective: ProfiledObjective> {
  /// The best of the better fits that were met on the way.
  private(set) var better: ProfilePoint?
  /// A point at a bound up to which the fit gets no worse, in all coordinates: there is no estimate,
  /// only a direction.
  private(set) var flatLimit: Coordinates?

  private let objective: Objective
  private let index: Int
  private let center: Double
  private var path: ProfilePath
  private var ends: [ProfileEnd] = []

  /// Prepares the profile of a coordinate.
  ///
  /// - Parameter tangent: How far all coordinates follow where this one moves by 1, if that is known.
  init(_ objective: Objective, index: Int, tangent: Coordinates? = nil) {
    self.objective = objective
    self.index = index
    center = objective.center[index]
    let start = ProfilePoint(
      coordinates: Coordinates(objective.center), value: objective.bottom)
    path = ProfilePath(of: index, from: start, tangent: tangent ?? .zero)
  }

  /// Finds the ends of the intervals of some of the profiles. Each end asks for one point of its profile after the
  /// other.
  ///
  /// - Parameter standardErrors: Of all coordinates, where they are known: how far to look first.
  static func findEnds(
    of profiles: inout [Self], in indices: [Int], standardErrors: [Double?]
  ) throws(SeriesFailure) {
    guard let objective = profiles.first?.objective else { return }
    var requests: [DescentRequest] = []
    var points: [ProfilePoint] = []
    // The end that each request is for.
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
    try objective.follow(&requests, .profile) { place, point, requests throws(SeriesFailure) in
      while points.count <= place { points.append(point) }
      points[place] = point
      let (index, side) = owners[place]
      profiles[index].ends[side].unanswered -= 1
      guard profiles[index].ends[side].unanswered == 0 else { return }
      try profiles[index].receive(points[profiles[index].ends[side].requests], side)
      try profiles[index].enqueue(side, &requests)
      while owners.count < requests.count { owners.append((index, side)) }
    }
  }

  /// The ends of the interval as coordinates, once they are found.
  var interval: ParameterInterval {
    let low = ends.first?.end
    let high = ends.last?.end
    return ParameterInterval(low: low, high: high, isIdentifiable: low != nil && high != nil)
  }

  /// All visited points.
  var points: [ProfilePoint] { path.points }

  /// Whether the threshold is far from ruling a point out.
  func isAllowed(_ point: ProfilePoint) -> Bool {
    point.value - objective.bottom < 0.99999 * objective.threshold
  }

  /// Adds a point found by another profile, from where the ends are then looked for.
  mutating func insert(_ point: ProfilePoint) { path.insert(point) }

  /// How much the measure is above that of the estimate.
  mutating func rise(at coordinate: Double) throws(SeriesFailure) -> Double {
    keep(try point(at: coordinate))
  }

  /// Whether it is a bound of another coordinate that makes the measure rise.
  func isCutShort(at coordinate: Double) throws(SeriesFailure) -> Bool {
    try objective.isCutShort(try point(at: coordinate), holding: index)
  }

  private func point(at coordinate: Double) throws(SeriesFailure) -> ProfilePoint {
    if let known = path.point(at: coordinate) { return known }
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

  /// Adds a point to the path and returns how much its measure is above that of the estimate.
  private mutating func keep(_ point: ProfilePoint) -> Double {
    path.insert(point)
    let rise = point.value - objective.bottom
    if rise < -ProfileCriterion.rounding, point.value < better?.value ?? .infinity {
      better = point
    }
    return rise.isNaN ? .infinity : rise
  }
}

// MARK: - Other branches

extension ProfileLikelihood {
  /// Relative distance from an end below which a point was met in closing in on it, and two points count as one.
  private static var mergeDistance: Double { 0.02 }

  /// Visits the points that the threshold does not rule out, outermost first on each side; points within 2 % of the
  /// distance to the last one are merged.
  func forEachDistinctPoint(_ body: (Coordinates) -> Void) {
    for sign in [-1.0, 1] {
      var last = center
      let points = path.points
      for number in points.indices {
        let point = points[sign < 0 ? number : points.count - 1 - number]
        let place = point.coordinates[index]
        guard sign * (place - center) > 0, isAllowed(point),
          last == center || abs(place - last) > Self.mergeDistance * abs(last - center)
        else { continue }
        body(point.coordinates)
        last = place
      }
    }
  }

  /// Adds descents that re-optimise each end from other points. A curve that stops at zero makes several minima: another
  /// branch may be lower there than the one along which the end was closed in on.
  ///
  /// The starts are all other points of its own side; of another profile the point nearest to the end; where that
  /// profile has an open side, all its points, since it leads away from the estimate as far as the search goes; and where
  /// the coordinate of that profile stands at a bound, so that nothing may change with it, the ends of that profile. What
  /// was met at a bound is lower than next to it, so that it stays at the bound.
  ///
  /// - Parameter others: The profiles of all coordinates, in order; none where this one stands alone.
  func recheckEnds(besides others: [Self] = [], _ requests: inout [DescentRequest]) {
    guard objective.center.count > 1 else { return }
    for side in ends {
      guard let end = side.end else { continue }
      for point in path.points {
        let place = point.coordinates[index]
        guard side.sign * (place - center) > 0,
          abs(place - end) > Self.mergeDistance * abs(end - center)
        else { continue }
        requests.append(request(point.coordinates.moved(index, to: end)))
      }
    }
    for position in others.indices where position != index {
      let other = others[position]
      let range = objective.range(of: other.index)
      func isAtBound(_ point: Coordinates) -> Bool {
        point[other.index] == range.lowerBound || point[other.index] == range.upperBound
      }
      for end in ends.lazy.compactMap(\.end) {
        let near = other.path.nearest(to: end, in: index).coordinates
        requests.append(request(near.moved(index, to: end)))
        if other.ends.contains(where: { $0.end == nil }) {
          other.forEachDistinctPoint { point in
            var start = request(point.moved(index, to: end))
            if isAtBound(point) { start.held.insert(CoordinateSet(other.index)) }
            requests.append(start)
          }
        }
        let here = path.nearest(to: end, in: index).coordinates
        guard isAtBound(here) else { continue }
        for place in other.ends.lazy.compactMap(\.end) {
          requests.append(request(here.moved(index, to: end).moved(other.index, to: place)))
        }
      }
    }
  }
}

// MARK: - The ends

extension ProfileLikelihood {
  private mutating func begin(standardError: Double?) {
    let range = objective.range(of: index)
    let stride = standardError.map { $0 * objective.threshold.squareRoot() } ?? .infinity
    ends = [range.lowerBound, range.upperBound].map { limit in
      let sign: Double = limit < center ? -1 : 1
      var farthest = center
      for point in path.points where isAllowed(point) {
        if sign * (point.coordinates[index] - farthest) > 0 { farthest = point.coordinates[index] }
      }
      // What was met beyond belongs to a branch that is no longer the lowest.
      path.removeAll(beyond: farthest, sign: sign)
      return ProfileEnd(
        from: farthest, to: limit, sign: sign, firstStep: 0.6 * stride,
        isSmooth: objective.isOneDescentEnough)
    }
  }

  /// Adds the descents that an end waits for; none once it is found.
  private mutating func enqueue(
    _ side: Int, _ requests: inout [DescentRequest]
  ) throws(SeriesFailure) {
    let first = requests.count
    while requests.count == first {
      switch ends[side].stage {
      case .found: return
      case .bracketing(let coordinate), .crossing(_, _, let coordinate):
        guard let known = path.point(at: coordinate) else {
          path.eachStart(at: coordinate, sign: ends[side].sign, most: mostStarts(side)) {
            requests.append(request($0))
          }
          continue
        }
        try receive([known], side)
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

  /// As long as the profile is smooth, the likeliest start is enough between points that are known, since the end
  /// will be rechecked; beyond them a second one looks ahead. Where there are no other coordinates nothing is
  /// left to look for.
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
      // A profile has no jumps. Where it seemed to jump over the threshold, a descent from far away got
      // lost, and the minimum was looked for again from all that is known of the side.
      if let lower = points.first(where: isAllowed) {
        resume(from: lower, side)
      } else {
        try finish(at: end, end: end.coordinates[index], side)
      }
    }
  }

  private mutating func bracket(_ point: ProfilePoint, at coordinate: Double, _ side: Int) {
    if point.isLost { ends[side].isSmooth = false }
    guard !point.isLost || ends[side].isLostForGood() else { return }
    let rise = keep(point)
    guard rise <= objective.threshold else {
      let last = ends[side].inside
      ends[side].cross(
        from: signedRoot(at: last), to: signedRoot(at: coordinate, rise),
        before: last == center ? nil : signedRoot(at: center))
      return
    }
    if coordinate == ends[side].limit, rise <= ProfileCriterion.rounding {
      flatLimit = point.coordinates
    }
    ends[side].stepOn(center: center)
  }

  /// Goes on to where the interpolated signed root meets that of the threshold.
  private mutating func closeIn(
    _ point: ProfilePoint, between inside: ProfileEnd.Root, and outside: ProfileEnd.Root,
    _ side: Int
  ) throws(SeriesFailure) {
    let rise = keep(point)
    let here = signedRoot(at: point.coordinates[index], rise)
    if objective.hasEndsBetweenPoints, abs(here.excess) < ProfileEnd.nearEnough,
      let end = ProfileEnd.inverseQuadratic(inside, here, outside)
    {
      if objective.isOneDescentEnough {
        try finish(at: point, end: end, side)
      } else {
        try accept(point, end: end, side)
      }
    } else if abs(here.excess) < ProfileEnd.rounding {
      try accept(point, end: point.coordinates[index], side)
    } else if !ends[side].narrow(inside, outside, with: here) {
      let outer = path.point(at: ends[side].outside) ?? point
      try accept(outer, end: outer.coordinates[index], side)
    }
  }

  /// Accepts a crossing as an end, unless a profile that jumps there has to be followed on.
  private mutating func accept(
    _ point: ProfilePoint, end: Double, _ side: Int
  ) throws(SeriesFailure) {
    if ends[side].canResume, isAllowed(point) {
      resume(from: point, side)
    } else if ends[side].canResume, isBeyond(point) {
      ends[side].isSmooth = false
      ends[side].stage = .verifyingJump(at: point)
    } else {
      try finish(at: point, end: end, side)
    }
  }

  /// Whether a point next to an end is so far above the threshold that the profile jumps there.
  private func isBeyond(_ point: ProfilePoint) -> Bool {
    point.value - objective.bottom > 1.001 * objective.threshold
  }

  private mutating func resume(from point: ProfilePoint, _ side: Int) {
    ends[side].isSmooth = false
    path.removeAll(beyond: point.coordinates[index], sign: ends[side].sign)
    path.insert(point)
    ends[side].resume(from: point.coordinates[index])
  }

  /// Decides whether there is an end next to a point. Where the profile jumps, the last point before the jump counts,
  /// too: what lies beyond is another branch.
  private mutating func finish(
    at point: ProfilePoint, end: Double, _ side: Int
  ) throws(SeriesFailure) {
    var isEnd = try !objective.isCutShort(point, holding: index)
    let sign = ends[side].sign
    if isEnd, isBeyond(point),
      let last = path.points.filter({ point in
        let place = sign * point.coordinates[index]
        return place > sign * center && place < sign * end && isAllowed(point)
      }).max(by: { sign * $0.coordinates[index] < sign * $1.coordinates[index] })
    {
      isEnd = try !objective.isCutShort(last, holding: index)
    }
    ends[side].stage = .found(isEnd ? end : nil)
  }

  /// The signed root of a rise, or of that at a known point, above that of the threshold.
  private func signedRoot(at coordinate: Double, _ rise: Double? = nil) -> ProfileEnd.Root {
    let rise = rise ?? (path.point(at: coordinate)?.value ?? objective.bottom) - objective.bottom
    return ProfileEnd.Root(
      coordinate: coordinate,
      excess: max(0, rise).squareRoot() - objective.threshold.squareRoot())
  }
}

/// The search for one end of an interval, from the estimate outwards.
///
/// It steps outwards until the profile is above the threshold and then closes in on the crossing by inverse quadratic
/// interpolation, or else by the Illinois variant of false position (Dowell & Jarratt 1971).
struct ProfileEnd {
  /// A coordinate and how far the signed root of the profile is above that of the threshold there.
  struct Root {
    let coordinate: Double
    var excess: Double
  }

  /// What it is waiting for.
  enum Stage {
    /// For the point a step farther out.
    case bracketing(at: Double)
    /// For a point between two, of which one is above the threshold.
    case crossing(Root, Root, at: Double)
    /// For other descents to a point at which the profile seems to jump.
    case verifyingJump(at: ProfilePoint)
    /// For nothing; nil if there is no end.
    case found(Double?)
  }

  /// How near to an end, in standard errors, the parabola through the last points leads to it without another
  /// descent. Its own error is a hundred times smaller, and twenty times where a profile bends most.
  static let nearEnough = 1e-5
  /// More digits would be those of rounding.
  static let rounding = 1e-6
  /// After so many points between two, a crossing is no smooth one.
  private static let mostSmooth = 4
  /// The first step goes no farther: a factor of 1.6 for most parameters.
  private static let longestFirstStep = 0.5
  private static let shortestStep = 1e-4
  /// A crossing within less than this is a jump.
  private static let narrowest = 1e-7

  let limit: Double
  let sign: Double
  /// The farthest coordinate that is known to be allowed.
  private(set) var inside: Double
  /// The nearest one that is not, once one is met.
  private(set) var outside: Double
  var stage = Stage.found(nil)
  /// Whether nothing was met so far that another branch of the profile would explain.
  var isSmooth: Bool
  /// The places of the requests that it waits for, and how many of them are unanswered.
  var requests = 0..<0
  var unanswered = 0
  private var step: Double
  private var isFlat = false
  private var narrowed = 0
  /// Which side of the crossing was moved last: 1 the outer, -1 the inner, 0 none yet.
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

  /// The coordinate of the end; nil if there is none.
  var end: Double? { if case .found(let end) = stage { end } else { nil } }

  /// Whether steps are long enough to look beyond a crossing.
  var canResume: Bool { step > Self.shortestStep }

  private mutating func bracket() {
    stage =
      inside == limit || step <= 0
      ? .found(nil)
      : .bracketing(at: step < abs(limit - inside) ? inside + sign * step : limit)
  }

  /// Shortens the step, for a descent that had nowhere to go; true if no step is short enough, and the
  /// curve is zero there whatever the others are.
  mutating func isLostForGood() -> Bool {
    guard !isFlat, step >= Self.shortestStep else {
      isFlat = true
      return true
    }
    step /= 4
    bracket()
    return false
  }

  /// Goes on outwards after a point that is allowed.
  ///
  /// Steps go well beyond where the end seems to be: another branch of the profile may be lower there, and
  /// is then followed back to where it becomes so.
  mutating func stepOn(center: Double) {
    if case .bracketing(let coordinate) = stage { inside = coordinate }
    step = min(1.8 * step, 0.8 * abs(inside - center))
    bracket()
  }

  /// Goes on outwards, in smaller steps, from a crossing that was none.
  mutating func resume(from coordinate: Double) {
    inside = coordinate
    step /= 4
    bracket()
  }

  /// Begins to close in on a crossing.
  ///
  /// - Parameter before: A point farther inside, if there is one.
  mutating func cross(from inside: Root, to outside: Root, before: Root?) {
    self.outside = outside.coordinate
    lastMoved = 0
    let aim = before.flatMap { Self.inverseQuadratic($0, inside, outside) }
    stage = .crossing(inside, outside, at: Self.next(aim, inside, outside))
  }

  /// Replaces one of two points by one between them; false if they are as near as they can be.
  mutating func narrow(_ inside: Root, _ outside: Root, with point: Root) -> Bool {
    var (inside, outside) = (inside, outside)
    let aim = Self.inverseQuadratic(inside, point, outside)
    narrowed += 1
    if narrowed > Self.mostSmooth { isSmooth = false }
    // Where the same side moves again, the other counts half.
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

  /// An aim, if it lies between two points; else the false position, or half the way if the signed root is far from
  /// straight, as where the curve falls to zero.
  private static func next(_ aim: Double?, _ inside: Root, _ outside: Root) -> Double {
    let a = inside.coordinate
    let b = outside.coordinate
    if let aim, aim > min(a, b), aim < max(a, b) { return aim }
    guard inside.excess < 0, outside.excess < -8 * inside.excess else { return a / 2 + b / 2 }
    return a + inside.excess / (inside.excess - outside.excess) * (b - a)
  }

  /// Where the parabola through three points, the coordinate by the excess, meets the threshold; nil where
  /// the excess does not rise from each to the next.
  static func inverseQuadratic(_ a: Root, _ b: Root, _ c: Root) -> Double? {
    guard a.excess < b.excess, b.excess < c.excess, c.excess.isFinite else { return nil }
    let ab = (b.coordinate - a.coordinate) / (b.excess - a.excess)
    let bc = (c.coordinate - b.coordinate) / (c.excess - b.excess)
    let bend = (bc - ab) / (c.excess - a.excess)
    return a.coordinate - a.excess * ab + a.excess * b.excess * bend
  }
}
