/// The names of subjects that have been there.
///
/// Mostly names come in order; then it is enough to compare with the last, and they are not hashed.
struct SeenNames {
  /// The names, while they ascend.
  private var ascending: [String] = []
  /// All of them, once one did not.
  private var all: Set<String>?

  /// Adds a name; false if it has been there.
  mutating func insert(_ name: String) -> Bool {
    if all == nil, let last = ascending.last, name <= last {
      all = Set(ascending)
      ascending = []
    }
    guard all == nil else { return all?.insert(name).inserted ?? true }
    ascending.append(name)
    return true
  }
}
