extension Sequence {
  /// The first element of each key.
  package func unique<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
    var seen: Set<Key> = []
    return filter { seen.insert(key($0)).inserted }
  }

  /// The elements with equal keys, in the order in which each key comes first.
  package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, values: [Element])] {
    var places: [Key: Int] = [:]
    var groups: [(key: Key, values: [Element])] = []
    for element in self {
      let key = key(element)
      if let place = places[key] {
        groups[place].values.append(element)
      } else {
        places[key] = groups.count
        groups.append((key, [element]))
      }
    }
    return groups
  }
}

extension Sequence where Element: Hashable {
  /// Each element once, in the order in which they first occur.
  package var uniqued: [Element] { unique { $0 } }
}
