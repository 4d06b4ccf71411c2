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

  private var tallies: [RecordType: Tally] = [:]

  /// The records of a type.
  public internal(set) subscript(type: RecordType) -> Tally {
    get { tallies[type] ?? Tally() }
    set { tallies[type] = newValue }
  }

  /// The records of all types together.
  public var total: Tally {
    tallies.values.reduce(into: Tally()) { sum, tally in
      sum.added += tally.added
      sum.changed += tally.changed
      sum.unchanged += tally.unchanged
      sum.refused += tally.refused
    }
  }
}
