/// The profile of one coordinate: how much worse the best fit gets as it is moved away from its
/// estimate and the others follow.
///
/// The two ends of its interval are looked for side by side, and those of several profiles together, so
/// that the descents of all of them can be made at once: see ``findEnds(of:in:standardErrors:)``.
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

  /// Points that are nearer to an end, in parts of the way from the estimate, were met in closing in on it.
  private static var besides: Double { 0.02 }
  /// More requests than most searches for ends make.
  private static var usualCount: Int { 64 }

  /// Prepares the profile of a coordinate.
  ///
  /// - Parameter tangent: How far all coordinates follow where this one moves by 1, if that is known.
  init(_ objective: Objective, index: Int, tangent: Coordinates? = nil) {
    let start = Coordinates(objective.center)
    self.objective = objective
    self.index = index
    center = objective.center[index]
    path = ProfilePath(
      of: index, from: ProfilePoint(coordinates: start, value: objective.bottom),
      tangent: tangent ?? .zero)
  }

  /// Finds the ends of the intervals of some of the profiles.
  ///
  /// Each end asks for one point of its profile after the other, and those of all ends are looked for at once.
  ///
  /// - Parameter standardErrors: Of all coordinates, where they are known: how far to look first.
  static func findEnds(
    of profiles: inout [Self], in indices: [Int], standardErrors: [Double?]
  ) throws(SeriesFailure) {
    guard let objective = profiles.first?.objective else { return }
    for index in indices { profiles[index].begin(standardError: standardErrors[index]) }
    var requests: [DescentRequest] = []
    var questions: [Question] = []
    requests.reserveCapacity(usualCount)
    questions.reserveCapacity(usualCount)
    for index in indices {
      for side in profiles[index].ends.indices {
        try profiles[index].ask(for: side, of: index, &requests, &questions)
      }
    }
    var points: [ProfilePoint] = []
    points.reserveCapacity(usualCount)
    try objective.follow(&requests, .along) { place, point, requests throws(SeriesFailure) in
      while points.count <= place { points.append(point) }
      points[place] = point
      let number = questions.lastIndex { $0.requests.lowerBound <= place } ?? 0
      questions[number].open -= 1
      guard questions[number].open == 0 else { return }
      let question = questions[number]
      try profiles[question.profile].take(points[question.requests], for: question.side)
      try profiles[question.profile].ask(
        for: question.side, of: question.profile, &requests, &questions)
    }
  }

  /// The ends of the interval as coordinates, once they are found.
  var interval: ParameterInterval {
    let (low, high) = (ends.first?.end, ends.last?.end)
    return ParameterInterval(low: low, high: high, isIdentifiable: low != nil && high != nil)
  }

  /// The points met so far.
  var points: [ProfilePoint] { path.points }

  /// The points met so far that the threshold is far from ruling out.
  var allowed: [ProfilePoint] { path.points.filter(isAllowed) }

  /// Those met so far on either side of the estimate, the farthest first; of those met in closing in on an end one.
  func eachLandmark(_ body: (Coordinates) -> Void) {
    for sign in [-1.0, 1] {
      var last = center
      let points = path.points
      for number in points.indices {
        let point = points[sign < 0 ? number : points.count - 1 - number]
        let place = point.coordinates[index]
        guard sign * (place - center) > 0, isAllowed(point),
          last == center || abs(place - last) > Self.besides * abs(last - center)
        else { continue }
        body(point.coordinates)
        last = place
      }
    }
  }

  /// Whether the threshold is far from ruling a point out.
  func isAllowed(_ point: ProfilePoint) -> Bool {
    point.value - objective.bottom < 0.99999 * objective.threshold
  }

  /// Adds descents to the ends that were found, from the points known next to them: another branch may be lower
  /// there than the one along which an end was closed in on.
  func challenge(_ requests: inout [DescentRequest]) {
    guard objective.center.count > 1 else { return }
    for side in ends {
      guard let end = side.end else { continue }
      for point in path.points {
        let place = point.coordinates[index]
        guard side.sign * (place - center) > 0,
          abs(place - end) > Self.besides * abs(end - center)
        else { continue }
        requests.append(request(point.coordinates.moved(index, to: end)))
      }
    }
  }

  /// The same from points of another profile: from those that are nearest to an end and, where that profile has an
  /// open side, from all along it, since it leads away from the estimate as far as the search goes. What is met there at
  /// a bound is lower than next to it, so that it stays at the bound.
  ///
  /// Where at an end the coordinate of that profile stands at a bound, nothing may change with it, so that no descent
  /// leads away from there; it is moved to its own ends, too.
  func challenge(from other: Self, _ requests: inout [DescentRequest]) {
    let range = objective.range(of: other.index)
    func isAtBound(_ point: Coordinates) -> Bool {
      point[other.index] == range.lowerBound || point[other.index] == range.upperBound
    }
    for end in ends.lazy.compactMap(\.end) {
      let near = other.path.nearest(to: end, in: index).coordinates
      requests.append(request(near.moved(index, to: end)))
      if other.isOpen {
        other.eachLandmark { landmark in
          var challenger = request(landmark.moved(index, to: end))
          if isAtBound(landmark) { challenger.held.insert(CoordinateSet(other.index)) }
          requests.append(challenger)
        }
      }
      let here = path.nearest(to: end, in: index).coordinates
      guard isAtBound(here) else { continue }
      for place in other.ends.lazy.compactMap(\.end) {
        requests.append(request(here.moved(index, to: end).moved(other.index, to: place)))
      }
    }
  }

  /// Whether it has no end on some side.
  private var isOpen: Bool { ends.contains { $0.end == nil } }

  /// Takes in a point that another profile met, from where the ends are then looked for.
  mutating func learn(_ point: ProfilePoint) { path.insert(point) }

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
    return lowest(try objective.points(requests, .along)[...])
  }

  private func request(_ start: Coordinates) -> DescentRequest {
    objective.request(start, holding: CoordinateSet(index))
  }

  private func lowest(_ points: ArraySlice<ProfilePoint>) -> ProfilePoint {
    points.dropFirst().reduce(points[points.startIndex]) { $1.value < $0.value ? $1 : $0 }
  }

  /// Adds a point to the path and tells how much its measure is above that of the estimate.
  private mutating func keep(_ point: ProfilePoint) -> Double {
    path.insert(point)
    let rise = point.value - objective.bottom
    if rise < -ProfileCriterion.rounding, point.value < better?.value ?? .infinity {
      better = point
    }
    return rise.isNaN ? .infinity : rise
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

  /// Notes what an end waits for, where it has to be solved for something to go on.
  private mutating func ask(
    for side: Int, of profile: Int, _ requests: inout [DescentRequest],
    _ questions: inout [Question]
  ) throws(SeriesFailure) {
    let first = requests.count
    try ask(for: side, &requests)
    guard requests.count > first else { return }
    let places = first..<requests.count
    questions.append(
      Question(profile: profile, side: side, requests: places, open: places.count))
  }

  /// Adds what has to be solved for an end to go on; nothing once it is found.
  ///
  /// A curve that stops at zero makes several minima, and the lowest may lie on another branch than at the
  /// point next to it. So each is tried from several sides, and an end is challenged once it is found: see
  /// ``challenge(_:)``.
  private mutating func ask(
    for side: Int, _ requests: inout [DescentRequest]
  ) throws(SeriesFailure) {
    while true {
      switch ends[side].stage {
      case .found: return
      case .walking(let coordinate), .crossing(_, _, let coordinate):
        guard let known = path.point(at: coordinate) else {
          return ask(at: coordinate, side, &requests)
        }
        try take([known], for: side)
      case .doubting(let end):
        let sign = ends[side].sign
        for point in path.points where sign * (point.coordinates[index] - center) >= 0 {
          requests.append(request(point.coordinates.moved(index, to: end.coordinates[index])))
        }
        return
      }
    }
  }

  /// Descents to a point of the profile.
  ///
  /// As long as the profile is smooth, the likeliest start is enough between points that are known, since the end
  /// will be challenged; beyond them a second one looks ahead. Where there are no other coordinates nothing is
  /// left to look for.
  private func ask(at coordinate: Double, _ side: Int, _ requests: inout [DescentRequest]) {
    let most =
      if objective.center.count == 1 {
        1
      } else if ends[side].isSmooth {
        ends[side].isWalking ? 2 : 1
      } else {
        Int.max
      }
    path.eachStart(at: coordinate, sign: ends[side].sign, most: most) {
      requests.append(request($0))
    }
  }

  /// Takes in what was asked for.
  private mutating func take(
    _ points: ArraySlice<ProfilePoint>, for side: Int
  ) throws(SeriesFailure) {
    switch ends[side].stage {
    case .found: break
    case .walking(let coordinate): walk(lowest(points), to: coordinate, side)
    case .crossing(let inside, let outside, _):
      try cross(lowest(points), between: inside, and: outside, side)
    case .doubting(let end):
      // A profile has no jumps. Where it seemed to jump over the threshold, a descent from far away got
      // lost, and the minimum was looked for again from all that is known of the side.
      if let lower = points.first(where: isAllowed) {
        goOn(from: lower, side)
      } else {
        try settle(at: end, end: end.coordinates[index], side)
      }
    }
  }

  private mutating func walk(_ point: ProfilePoint, to coordinate: Double, _ side: Int) {
    if point.isLost { ends[side].isSmooth = false }
    guard !point.isLost || ends[side].isLostForGood() else { return }
    let rise = keep(point)
    guard rise <= objective.threshold else {
      let last = ends[side].inside
      let (inside, before) = (known(at: last), last == center ? nil : known(at: center))
      let outside = ProfileEnd.Side(coordinate: coordinate, excess: excess(rise))
      ends[side].cross(from: inside, to: outside, before: before)
      return
    }
    if coordinate == ends[side].limit, rise <= ProfileCriterion.rounding {
      flatLimit = point.coordinates
    }
    ends[side].stepOn(center: center)
  }

  /// Goes on to where the square root of the rise, which is nearly straight, meets that of the threshold.
  private mutating func cross(
    _ point: ProfilePoint, between inside: ProfileEnd.Side, and outside: ProfileEnd.Side,
    _ side: Int
  ) throws(SeriesFailure) {
    let rise = keep(point)
    let here = ProfileEnd.Side(coordinate: point.coordinates[index], excess: excess(rise))
    if objective.hasEndsBetweenPoints, abs(here.excess) < ProfileEnd.nearEnough,
      let end = ProfileEnd.inverseQuadratic(inside, here, outside)
    {
      if objective.isOneDescentEnough {
        try settle(at: point, end: end, side)
      } else {
        try arrive(point, end: end, side)
      }
    } else if abs(here.excess) < ProfileEnd.rounding {
      try arrive(point, end: point.coordinates[index], side)
    } else if !ends[side].narrow(inside, outside, with: here) {
      let outer = path.point(at: ends[side].outside) ?? point
      try arrive(outer, end: outer.coordinates[index], side)
    }
  }

  /// Decides whether a crossing is an end.
  private mutating func arrive(
    _ point: ProfilePoint, end: Double, _ side: Int
  ) throws(SeriesFailure) {
    if ends[side].canGoOn, isAllowed(point) {
      goOn(from: point, side)
    } else if ends[side].canGoOn, isBeyond(point) {
      ends[side].isSmooth = false
      ends[side].stage = .doubting(point)
    } else {
      try settle(at: point, end: end, side)
    }
  }

  /// Whether a point next to an end is so far above the threshold that the profile jumps there.
  private func isBeyond(_ point: ProfilePoint) -> Bool {
    point.value - objective.bottom > 1.001 * objective.threshold
  }

  private mutating func goOn(from point: ProfilePoint, _ side: Int) {
    ends[side].isSmooth = false
    path.removeAll(beyond: point.coordinates[index], sign: ends[side].sign)
    path.insert(point)
    ends[side].goOn(from: point.coordinates[index])
  }

  /// Decides whether there is an end next to a point. Where the profile jumps, the last point before the jump says so,
  /// too: what lies beyond is another branch.
  private mutating func settle(
    at point: ProfilePoint, end: Double, _ side: Int
  ) throws(SeriesFailure) {
    var isEnd = try !objective.isCutShort(point, holding: index)
    if isEnd, isBeyond(point), let last = lastAllowed(before: end, ends[side].sign) {
      isEnd = try !objective.isCutShort(last, holding: index)
    }
    ends[side].stage = .found(isEnd ? end : nil)
  }

  /// The farthest point on one side of the estimate that lies before an end and is allowed.
  private func lastAllowed(before end: Double, _ sign: Double) -> ProfilePoint? {
    path.points.filter { point in
      let place = sign * point.coordinates[index]
      return place > sign * center && place < sign * end && isAllowed(point)
    }.max { sign * $0.coordinates[index] < sign * $1.coordinates[index] }
  }

  private func known(at coordinate: Double) -> ProfileEnd.Side {
    let rise = (path.point(at: coordinate)?.value ?? objective.bottom) - objective.bottom
    return ProfileEnd.Side(coordinate: coordinate, excess: excess(rise))
  }

  /// How far the square root of a rise is above that of the threshold.
  private func excess(_ rise: Double) -> Double {
    max(0, rise).squareRoot() - objective.threshold.squareRoot()
  }
}

/// What an end of a profile waits for.
private struct Question {
  let profile: Int
  let side: Int
  /// The places of its requests.
  let requests: Range<Int>
  /// How many of them are not answered yet.
  var open: Int
}

/// The search for one end of an interval, from the estimate outwards.
///
/// It steps outwards until the profile is above the threshold and then closes in on the crossing by the
/// Illinois variant of false position (Dowell & Jarratt 1971).
struct ProfileEnd {
  /// A coordinate on one side of the crossing and how far the profile is above the threshold there.
  struct Side {
    let coordinate: Double
    var excess: Double
  }

  /// What it is waiting for.
  enum Stage {
    /// For the point a step farther out.
    case walking(to: Double)
    /// For a point between two, of which one is above the threshold.
    case crossing(Side, Side, at: Double)
    /// For other descents to a point at which the profile seems to jump.
    case doubting(ProfilePoint)
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
    walk()
  }

  /// The coordinate of the end; nil if there is none.
  var end: Double? {
    guard case .found(let end) = stage else { return nil }
    return end
  }

  /// Whether it waits for a point a step farther out.
  var isWalking: Bool { if case .walking = stage { true } else { false } }

  /// Whether steps are long enough to look beyond a crossing.
  var canGoOn: Bool { step > Self.shortestStep }

  private mutating func walk() {
    guard inside != limit, step > 0 else {
      stage = .found(nil)
      return
    }
    stage = .walking(to: step < abs(limit - inside) ? inside + sign * step : limit)
  }

  /// Shortens the step, for a descent that had nowhere to go; true if no step is short enough, and the
  /// curve is zero there whatever the others are.
  mutating func isLostForGood() -> Bool {
    guard !isFlat else { return true }
    guard step < Self.shortestStep else {
      step /= 4
      walk()
      return false
    }
    isFlat = true
    return true
  }

  /// Goes on outwards after a point that is allowed.
  ///
  /// Steps go well beyond where the end seems to be: another branch of the profile may be lower there, and
  /// is then followed back to where it becomes so.
  mutating func stepOn(center: Double) {
    if case .walking(let coordinate) = stage { inside = coordinate }
    step = min(1.8 * step, 0.8 * abs(inside - center))
    walk()
  }

  /// Begins to close in on a crossing.
  ///
  /// - Parameter before: A point farther inside, if there is one.
  mutating func cross(from inside: Side, to outside: Side, before: Side?) {
    self.outside = outside.coordinate
    lastMoved = 0
    let aim = before.flatMap { Self.inverseQuadratic($0, inside, outside) }
    stage = .crossing(inside, outside, at: Self.next(aim, inside, outside))
  }

  /// Takes a point between two in; false if they are as near as they can be.
  mutating func narrow(_ inside: Side, _ outside: Side, with point: Side) -> Bool {
    var (inside, outside) = (inside, outside)
    let aim = Self.inverseQuadratic(inside, point, outside)
    narrowed += 1
    if narrowed > Self.mostSmooth { isSmooth = false }
    // Where the same side moves again, the other counts half.
    if point.excess > 0 {
      if lastMoved == 1 { inside.excess /= 2 }
      (outside, lastMoved) = (point, 1)
    } else {
      if lastMoved == -1 { outside.excess /= 2 }
      (inside, lastMoved) = (point, -1)
    }
    self.outside = outside.coordinate
    guard abs(outside.coordinate - inside.coordinate) > Self.narrowest else { return false }
    stage = .crossing(inside, outside, at: Self.next(aim, inside, outside))
    return true
  }

  /// An aim, if it lies between two points; else the false position.
  private static func next(_ aim: Double?, _ inside: Side, _ outside: Side) -> Double {
    let (a, b) = (inside.coordinate, outside.coordinate)
    guard let aim, aim > min(a, b), aim < max(a, b) else { return falsePosition(inside, outside) }
    return aim
  }

  /// Where the parabola through three points, the coordinate by the excess, meets the threshold; nil where
  /// the excess does not rise from each to the next.
  static func inverseQuadratic(_ a: Side, _ b: Side, _ c: Side) -> Double? {
    guard a.excess < b.excess, b.excess < c.excess, c.excess.isFinite else { return nil }
    let ab = (b.coordinate - a.coordinate) / (b.excess - a.excess)
    let bc = (c.coordinate - b.coordinate) / (c.excess - b.excess)
    let bend = (bc - ab) / (c.excess - a.excess)
    return a.coordinate - a.excess * ab + a.excess * b.excess * bend
  }

  /// Goes on outwards, in smaller steps, from a crossing that was none.
  mutating func goOn(from coordinate: Double) {
    inside = coordinate
    step /= 4
    walk()
  }

  /// Where the straight line between two points meets the threshold; half the way if it is far from
  /// straight, as where the curve falls to zero.
  private static func falsePosition(_ inside: Side, _ outside: Side) -> Double {
    let middle = inside.coordinate / 2 + outside.coordinate / 2
    guard inside.excess < 0, outside.excess < -8 * inside.excess else { return middle }
    let share = inside.excess / (inside.excess - outside.excess)
    return inside.coordinate + share * (outside.coordinate - inside.coordinate)
  }
}
