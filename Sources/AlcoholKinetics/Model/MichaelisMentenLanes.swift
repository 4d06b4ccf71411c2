// Eight curves are followed in four walks of two, since two numbers are a register of the smallest machines:
// - The 21 factors of a step's equations and what they are applied to nearly fit into its 16 registers;
//   wider numbers are spilled to memory more often than they are computed with.
// - A walk takes as many steps as the slower of two curves, not as the slowest of eight.
// - The equations are solved by chains of operations that wait for each other; what little waits is hidden
//   by the two or three right-hand sides that are independent.
//
// A lane has steps, decisions and errors of its own, so that what it computes does not depend on the others.

extension MichaelisMentenKinetics {
  static func follow(
    _ regimen: Regimen, lanes values: UnsafePointer<Lanes>, at times: UnsafePointer<Double>,
    count: Int, into samples: UnsafeMutablePointer<Lanes>, looseness: Double
  ) {
    // With doses into the blood all lanes have the same lag.
    let changes = regimen.changes(lag: values[FitParameter.lag.slot][0])
    guard !changes.isEmpty else {
      samples.initialize(repeating: .zero, count: count * PairWalk.width)
      return
    }
    let pairs = LanePairs(in: values[FitParameter.ka.slot])
    for pair in 0..<LanePairs.count where pairs.contains(pair) {
      var walk = PairWalk(values, changes, pair, times, count, samples, looseness)
      walk.follow()
    }
  }
}

/// Walks along two curves, each at its own pace: a lane whose step is refused does not keep the other from
/// going on to its next change of the input or reading.
private struct PairWalk {
  /// A concentration and its derivatives.
  static let width = 7
  /// Steps that are allowed from one reading or change of input to the next.
  private static let maximumSteps = 1000.0

  private let changes: [InputChange]
  private let times: UnsafePointer<Double>
  private let count: Int
  /// The first number of the first sample.
  private let samples: UnsafeMutableRawPointer
  private let lag: Pair

  private var state: PairState
  private var nextChange = SIMD2<Int>.zero
  private var nextReading = SIMD2<Int>.zero
  private var changeTime = Pair.zero
  private var readingTime = Pair.zero
  /// Where readings are left.
  private var isOpen = PairMask(repeating: -1)

  init(
    _ values: UnsafePointer<Lanes>, _ changes: [InputChange], _ pair: Int,
    _ times: UnsafePointer<Double>, _ count: Int, _ samples: UnsafeMutablePointer<Lanes>,
    _ looseness: Double
  ) {
    let offset = pair * MemoryLayout<Pair>.stride
    func two(_ parameter: FitParameter) -> Pair {
      UnsafeRawPointer(values + parameter.slot).load(fromByteOffset: offset, as: Pair.self)
    }
    self.changes = changes
    self.times = times
    self.count = count
    self.samples = UnsafeMutableRawPointer(samples) + offset
    lag = two(.lag)
    state = PairState(
      ka: two(.ka), vmax: two(.vmax), km: two(.km), r: two(.r), looseness: looseness)
    changeTime = Pair(repeating: changes[0].time)
    for lane in 0..<Pair.scalarCount { aim(lane) }
  }

  mutating func follow() {
    var time = changeTime
    var left = larger(smaller(changeTime, readingTime) - time, .zero)
    var steps = Pair.zero
    while true {
      while true {
        let isThere = ~above(left, .zero) & isOpen
        guard isAny(isThere) else { break }
        time = pick(isThere, larger(smaller(changeTime, readingTime), time), else: time)
        let isReading = isThere & above(changeTime, readingTime)
        let isChange = isThere & ~isReading
        if isAny(isChange) { passChanges(where: isChange) }
        if isAny(isReading) { passReadings(where: isReading) }
        // A lane that cannot go on only writes its readings.
        let next = larger(smaller(changeTime, readingTime) - time, .zero)
        left = pick(isThere, pick(state.hasFailed, .zero, else: next), else: left)
        steps = pick(isThere, .zero, else: steps)
      }
      guard isAny(isOpen) else { return }
      let hasMoved = state.step(within: &left)
      steps = pick(hasMoved, steps + 1, else: steps)
      state.hasFailed |= above(steps, Pair(repeating: Self.maximumSteps))
      left = pick(state.hasFailed, .zero, else: left)
    }
  }

  /// Sets the time of a lane's next reading.
  private mutating func aim(_ lane: Int) {
    let reading = nextReading[lane]
    if reading < count {
      readingTime[lane] = times[reading] - lag[lane]
    } else {
      isOpen[lane] = 0
    }
  }

  private mutating func passChanges(where mask: PairMask) {
    var duration = Pair.zero
    var (bolus, bloodBolus, rate, bloodRate) = (Pair.zero, Pair.zero, Pair.zero, Pair.zero)
    for lane in 0..<Pair.scalarCount where mask[lane] != 0 {
      let change = changes[nextChange[lane]]
      changeTime[lane] = changes.end(nextChange[lane])
      nextChange[lane] += 1
      duration[lane] = changeTime[lane] - change.time
      bolus[lane] = change.bolus
      bloodBolus[lane] = change.bloodBolus
      rate[lane] = change.rate
      bloodRate[lane] = change.bloodRate
    }
    state.change(
      where: mask, bolus: bolus, bloodBolus: bloodBolus, rate: rate, bloodRate: bloodRate,
      duration: duration)
  }

  /// Writes the concentrations and their derivatives to the readings of their lanes.
  private mutating func passReadings(where mask: PairMask) {
    let row = state.row
    withUnsafeBytes(of: row) { row in
      for lane in 0..<Pair.scalarCount where mask[lane] != 0 {
        let goal = samples + nextReading[lane] * Self.width * MemoryLayout<Lanes>.stride
        let offset = lane * MemoryLayout<Double>.stride
        for column in 0..<Self.width {
          goal.storeBytes(
            of: row.load(
              fromByteOffset: column * MemoryLayout<Pair>.stride + offset, as: Double.self),
            toByteOffset: column * MemoryLayout<Lanes>.stride + offset, as: Double.self)
        }
      }
    }
    for lane in 0..<Pair.scalarCount where mask[lane] != 0 {
      nextReading[lane] += 1
      aim(lane)
    }
  }
}

/// Blood and gut of two parameter vectors, and how they go on: by the steps of
/// ``MichaelisMentenSolution``, each lane by its own control of the error.
private struct PairState {
  private let ka: Pair
  private let inverseKa: Pair
  private let vmax: Pair
  private let km: Pair
  /// Concentration per dose, 1 / r.
  private let perDose: Pair
  private let looseness: Double

  /// c, and its derivatives by k_a, V_max and K_m.
  private var values = PairValues()
  private var gut = Pair.zero
  /// dg/dk.
  private var gutByKa = Pair.zero
  private var inputRate = Pair.zero
  /// What the gut tends to, R / k.
  private var steady = Pair.zero
  private var bloodRate = Pair.zero
  fileprivate var hasFailed = PairMask.zero
  /// Ethanol in gut and blood and still to come from the drinks under way when the input last changed.
  private var scale = Pair.zero
  /// How long the next step may be, in h.
  private var stepLimit = Pair(repeating: .infinity)
  /// The last step since the input changed.
  private var past = PastStep()

  init(ka: Pair, vmax: Pair, km: Pair, r: Pair, looseness: Double) {
    self.looseness = looseness
    self.ka = ka
    inverseKa = 1 / ka
    self.vmax = vmax
    self.km = km
    perDose = 1 / r
    // A lane that waits is not to be followed.
    hasFailed = ~above(Pair(repeating: .infinity), ka)
  }

  /// Takes in what is added at once, and the input from here on, where it is due.
  mutating func change(
    where isDue: PairMask, bolus: Pair, bloodBolus: Pair, rate: Pair, bloodRate: Pair,
    duration: Pair
  ) {
    gut += bolus * perDose
    values.blood += bloodBolus * perDose
    inputRate = pick(isDue, rate * perDose, else: inputRate)
    steady = inputRate * inverseKa
    self.bloodRate = pick(isDue, bloodRate * perDose, else: self.bloodRate)
    let total = inputRate + self.bloodRate
    let toCome = pick(above(total, .zero), total * duration, else: .zero)
    scale = pick(isDue, values.blood + gut + toCome, else: scale)
    // What flows in bends the curve where it moves the blood by about K_m + c; to begin with longer steps
    // costs refusals, and where the blood was empty, the error may look small by accident.
    let inflow = larger(ka * gut + self.bloodRate, Pair(repeating: .leastNormalMagnitude))
    let bend = smaller(inverseKa, 0.5 * (km + values.blood) / inflow)
    stepLimit = pick(isDue, bend, else: stepLimit)
    past.tau = pick(isDue, .zero, else: past.tau)
    hasFailed |= ~above(Pair(repeating: .infinity), scale)
  }

  /// The concentration and its derivatives in the order of ``CurveSample``.
  var row: (Pair, Pair, Pair, Pair, Pair, Pair, Pair) {
    let slope = ka * gut + bloodRate - vmax * (values.blood / (km + values.blood))
    return (
      pick(hasFailed, Pair(repeating: .nan), else: values.blood), values.byKa,
      values.blood - vmax * values.byVmax - km * values.byKm, -slope, .zero, values.byVmax,
      values.byKm
    )
  }
}

// MARK: - Steps

extension PairState {
  /// Tries a step in each lane that has time left.
  ///
  /// - Returns: Where one was taken.
  @inline(__always)
  mutating func step(within left: inout Pair) -> PairMask {
    let isActive = above(left, .zero)
    let attempt = length(within: left)
    let isTried = isActive & above(attempt, shortestStep)
    let isTiny = isActive & ~isTried
    let tried = pick(isTried, attempt, else: .zero)
    let step = take(tried, isTried)
    // The error estimate is of sixth order in the length.
    let wanted = 0.85 * inverseSixthRoot(step.error)
    let factor = smaller(larger(wanted, Pair(repeating: 0.1)), Pair(repeating: 4))
    let isAccepted = isTried & step.isConverged & ~above(step.error, Pair(repeating: 1))
    past.take(values.blood, step.stages, tried, where: isAccepted)
    values.take(step.end, where: isAccepted)
    gut = pick(isAccepted, step.gut, else: gut)
    gutByKa = pick(isAccepted, step.gutByKa, else: gutByKa)
    // The last piece of the way to an event says nothing on how long a step may be.
    let longer = pick(above(left, attempt), .zero, else: stepLimit)
    let next = larger(attempt * factor, longer)
    let refused =
      attempt
      * pick(
        step.isConverged, smaller(factor, Pair(repeating: 0.5)), else: Pair(repeating: 0.125))
    stepLimit = pick(isAccepted, next, else: pick(isTried, refused, else: stepLimit))
    if isAny(isTiny) { settle(attempt, where: isTiny) }
    let hasMoved = isAccepted | isTiny
    left = pick(hasMoved, left - attempt, else: left)
    return hasMoved
  }

  /// The left stretch whole, in halves, or as much as the error allows; never without end.
  @inline(__always)
  private func length(within left: Pair) -> Pair {
    pick(above(left, stepLimit), smaller(left * 0.5, stepLimit), else: left)
  }

  /// A step in which less is eliminated than rounding takes away.
  private var shortestStep: Pair { 1e-15 * scale / vmax }

  /// A share of what was taken, never 0: what errors may be relative to where less is left.
  @inline(__always)
  private func taken(times part: Double) -> Pair {
    larger(part * scale, Pair(repeating: .leastNormalMagnitude))
  }

  /// Crosses steps so short that how the blood is eliminated within them does not matter, by backward
  /// Euler, which conserves mass.
  private mutating func settle(_ tau: Pair, where mask: PairMask) {
    let gone = Five(ka * tau, times: SIMD8(repeating: 1)).gone.first
    let kept = 1 - gone
    let nextGut = gut * kept + steady * gone
    let nextByKa = (gutByKa - tau * gut) * kept + steady * (tau * kept - gone * inverseKa)
    let end = remaining(of: values.blood + supply(leaving: nextGut, after: tau), after: tau)
    let sum = km + end
    let share = end / sum
    let damping = 1 + tau * (vmax / sum) * (km / sum)
    let settled = PairValues(
      blood: end,
      byKa: (values.byKa + gutByKa - nextByKa) / damping,
      byVmax: (values.byVmax - tau * share) / damping,
      byKm: (values.byKm + tau * (vmax * (share / sum))) / damping)
    values.take(settled, where: mask)
    gut = pick(mask, nextGut, else: gut)
    gutByKa = pick(mask, nextByKa, else: gutByKa)
    stepLimit = pick(mask, 4 * larger(tau, shortestStep), else: stepLimit)
    past.tau = pick(mask, .zero, else: past.tau)
    hasFailed |= mask & ~above(Pair(repeating: .infinity), end)
  }

  /// What enters the blood in `tau` hours that leave the gut so.
  @inline(__always)
  private func supply(leaving content: Pair, after tau: Pair) -> Pair {
    larger(gut + inputRate * tau - content, .zero) + bloodRate * tau
  }

  /// What one backward Euler step leaves of an amount: see ``MichaelisMentenElimination``.
  @inline(__always)
  private func remaining(of amount: Pair, after tau: Pair) -> Pair {
    let half = (km + vmax * tau - amount) * 0.5
    let product = km * amount
    let root = (half * half + product).squareRoot()
    return pick(above(half, .zero), product / (half + root), else: root - half)
  }
}

// MARK: - A step

extension PairState {
  /// What a step of Radau IIA leads to: see ``MichaelisMentenStep``.
  private struct Step {
    var end: PairValues
    var stages: Five
    var gut: Pair
    var gutByKa: Pair
    var isConverged: PairMask
    /// In units of what is allowed.
    var error: Pair
  }

  /// Tries steps of `tau` hours.
  @inline(__always)
  private func take(_ tau: Pair, _ isTried: PairMask) -> Step {
    // What flows in at the stages.
    let elapsed = Five(tau, times: MichaelisMentenStages.nodes)
    let gone = elapsed.map { ka * $0 }.gone
    let kept = gone.map { 1 - $0 }
    let content = kept.map(gone) { gut * $0 + steady * $1 }
    let contentByKa = Five.combine(kept, gone, elapsed) { kept, gone, elapsed in
      (gutByKa - elapsed * gut) * kept + steady * (elapsed * kept - gone * inverseKa)
    }
    // The first guess.
    var blood = past.extrapolated(by: tau)
    let isGood = past.isClose(to: tau) & blood.isAbove(.zero)
    if isAny(isTried & ~isGood) {
      // Backward Euler is never negative and right in every limit: Newton's method starts close.
      let safe = content.map(elapsed) { content, elapsed in
        remaining(of: values.blood + supply(leaving: content, after: elapsed), after: elapsed)
      }
      blood = blood.map(safe) { pick(isGood, $0, else: $1) }
    }
    let tauVmax = tau * vmax
    let start = Five(values.blood, times: MichaelisMentenStages.startWeights)
    let fixed = start.map(content) { $0 + tau * (ka * $1 + bloodRate) }
    let floor = taken(times: 1e-2)
    // How far the values may move by another change, and how far the last one moved what derivatives are made with.
    let (last, turn) = looseness > 1 ? (1e-10, 1e-12) : (1e-13, 1e-19)
    var isDone = ~isTried
    var isLost = PairMask.zero
    var inverse = blood
    var after = blood
    var factors = StageFactors(diagonal: blood)
    for _ in 0..<8 {
      inverse = blood.map { 1 / (km + $0) }
      factors = StageFactors(diagonal: inverse.map { (tauVmax * $0) * (km * $0) })
      after = factors.solve(
        Five.combine(fixed, blood, inverse) { fixed, blood, inverse in
          let share = blood * inverse
          return fixed - tauVmax * (share * share)
        })
      // The next change is at most change^2 / (K_m + c).
      let isClose = Five.all(blood, after) { before, after in
        let change = after - before
        let sum = km + before
        let near = smaller(last * (larger(after, .zero) + floor), turn * sum)
        return ~above(change * change, sum * near)
      }
      isLost |= ~isDone & ~after.isAbove(-km)
      isDone |= isClose & ~isLost
      if !isAny(~(isDone | isLost)) { break }
      // Where a lane is done it stays, and finds the same again.
      blood = blood.map(after) { pick(isDone, $0, else: $1) }
    }
    // The factors are those of where the last change began, which is close enough.
    inverse = Five.combine(inverse, blood, after) { $0 - ($2 - $1) * ($0 * $0) }
    let share = after.map(inverse) { $0 * $1 }
    let weights = MichaelisMentenStages.startWeights
    let byKa = factors.solve(
      Five.combine(Five(values.byKa, times: weights), content, contentByKa) {
        $0 + tau * ($1 + ka * $2)
      })
    let byVmax = factors.solve(Five(values.byVmax, times: weights).map(share) { $0 - tau * $1 })
    let byKm = factors.solve(
      Five.combine(Five(values.byKm, times: weights), share, inverse) { $0 + tauVmax * ($1 * $2) })
    let end = PairValues(
      blood: after.fifth, byKa: byKa.fifth, byVmax: byVmax.fifth, byKm: byKm.fifth)
    let polynomial = PairValues(
      blood: after.slope(from: values.blood), byKa: byKa.slope(from: values.byKa),
      byVmax: byVmax.slope(from: values.byVmax), byKm: byKm.slope(from: values.byKm))
    return Step(
      end: end, stages: after, gut: content.fifth, gutByKa: contentByKa.fifth,
      isConverged: isDone & ~isLost & ~above(.zero, after.fifth),
      error: error(tau, polynomial, end, inverse.fifth))
  }

  /// What the estimate of the error may be. The error itself is a thousandth of it or less, see
  /// ``MichaelisMentenStep``: below 1e-9 g/kg with what is drunk, and of derivatives in proportion.
  private static var tolerance: Double { 2e-6 }

  /// What it may be where the equation is stiff and both are of the same order.
  private static var stiffTolerance: Double { 4e-9 }

  /// How far the polynomial through the stages misses the differential equation at the start of the step,
  /// in units of what is allowed.
  ///
  /// Errors are measured against the value or a share of what was taken, which is what readings are
  /// measured against: curves that are fitted need not be right to nine digits where nothing is left.
  @inline(__always)
  private func error(
    _ tau: Pair, _ polynomial: PairValues, _ end: PairValues, _ endInverse: Pair
  ) -> Pair {
    let inverse = 1 / (km + values.blood)
    let share = values.blood * inverse
    let elimination = (vmax * inverse) * (km * inverse)
    let damping = tau * elimination
    let atEnd = tau * ((vmax * endInverse) * (km * endInverse))
    // Where the blood leaves zero, the step is stiff to begin with, but its end damps no error.
    let lasting = smaller(atEnd, damping)
    let stiffness = 1 + larger(atEnd, damping)
    let tolerance =
      looseness * (Self.stiffTolerance + Self.tolerance / (stiffness * stiffness))
    let (slack, slackOfOthers) = (taken(times: 3e-2), taken(times: 5e-3))
    @inline(__always)
    func part(
      _ slope: Pair, _ polynomial: Pair, _ before: Pair, _ after: Pair, _ parameter: Pair,
      _ slack: Pair
    ) -> Pair {
      let defect = size((tau * slope - polynomial) * parameter)
      return defect / (larger(size(before), size(after)) * parameter + slack)
    }
    let byBlood = part(
      ka * gut + bloodRate - vmax * share, polynomial.blood, values.blood, end.blood,
      Pair(repeating: 1), slack)
    let byKa = part(
      gut + ka * gutByKa - elimination * values.byKa, polynomial.byKa, values.byKa, end.byKa, ka,
      slackOfOthers)
    let byVmax = part(
      -share - elimination * values.byVmax, polynomial.byVmax, values.byVmax, end.byVmax, vmax,
      slackOfOthers)
    let byKm = part(
      vmax * (share * inverse) - elimination * values.byKm, polynomial.byKm, values.byKm, end.byKm,
      km, slackOfOthers)
    return larger(larger(byBlood, byKa), larger(byVmax, byKm))
      / ((MichaelisMentenStep.eigenvalue + lasting) * tolerance)
  }
}

/// The four values of a lane that are integrated.
private struct PairValues {
  var blood = Pair.zero
  var byKa = Pair.zero
  var byVmax = Pair.zero
  var byKm = Pair.zero

  @inline(__always)
  mutating func take(_ other: Self, where mask: PairMask) {
    blood = pick(mask, other.blood, else: blood)
    byKa = pick(mask, other.byKa, else: byKa)
    byVmax = pick(mask, other.byVmax, else: byVmax)
    byKm = pick(mask, other.byKm, else: byKm)
  }
}
