import AlcoholKinetics

/// Numbers, from 0, what has the same time and kind, of things that come in order of time.
struct OrdinalCounter<Kind: Hashable> {
  private var time: Hours?
  private var first: (kind: Kind, count: Int)?
  /// Nearly always there is one kind only, and no dictionary is touched.
  private var others: [Kind: Int] = [:]

  /// The number of the next one.
  mutating func next(at time: Hours, _ kind: Kind) -> Int {
    guard self.time == time, let first else {
      self.time = time
      self.first = (kind, 1)
      if !others.isEmpty { others.removeAll(keepingCapacity: true) }
      return 0
    }
    if first.kind == kind {
      self.first = (kind, first.count + 1)
      return first.count
    }
    defer { others[kind, default: 0] += 1 }
    return others[kind] ?? 0
  }
}
