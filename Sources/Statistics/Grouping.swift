extension Sequence {
  /// The elements with equal keys, in the order in which each key comes first.
  package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, values: [Element])] {
    var groups: [(key: Key, values: [Element])] = []
    var places: [Key: Int] = [:]
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
