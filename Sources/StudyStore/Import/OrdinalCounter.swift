import AlcoholKinetics

/// Numbers, from 0, what has the same time and kind, of things that come in order of time.
struct OrdinalCounter<Kind: Hashable> {
  private var time: Hours?
  private var counts: [Kind: Int] = [:]

  /// The number of the next one.
  mutating func next(at time: Hours, _ kind: Kind) -> Int {
    if self.time != time {
      self.time = time
      if !counts.isEmpty { counts.removeAll(keepingCapacity: true) }
    }
    defer { counts[kind, default: 0] += 1 }
    return counts[kind] ?? 0
  }
}
