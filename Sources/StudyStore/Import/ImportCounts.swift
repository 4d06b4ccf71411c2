/// What an import did, by type.
public struct ImportCounts: Hashable, Sendable {
  /// How many records of one type.
  public struct Tally: Hashable, Sendable {
    /// Records that were not there.
    public var added = 0
    /// Records that were there with another value; the old one is in the table `changes`.
    public var changed = 0
    /// Records that were there as they are.
    public var unchanged = 0
    /// Records that were left out because they cannot be true, or their unit is not known.
    public var refused = 0
  }

  private var tallies = [Tally](repeating: Tally(), count: RecordType.allCases.count)

  /// The records of a type.
  public internal(set) subscript(type: RecordType) -> Tally {
    get { tallies[type.index] }
    set { tallies[type.index] = newValue }
  }

  /// The records of all types together.
  public var total: Tally {
    tallies.reduce(into: Tally()) { sum, tally in
      sum.added += tally.added
      sum.changed += tally.changed
      sum.unchanged += tally.unchanged
      sum.refused += tally.refused
    }
  }
}

extension RecordType {
  /// The place in a list of all types; counting happens a million times.
  fileprivate var index: Int {
    switch self {
    case .subjects: 0
    case .drinks: 1
    case .readings: 2
    case .vitals: 3
    }
  }
}
