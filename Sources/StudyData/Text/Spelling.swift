extension String {
  /// The word of a list most like this one, whatever the case; nil if more than one letter in four differs.
  package func nearest(in words: some Sequence<String>) -> String? {
    guard count > 1 else { return nil }
    let limit = Swift.max(1, count / 4)
    let own = lowercased()
    let near = words.map { ($0, own.distance(to: $0.lowercased())) }.filter { $0.1 <= limit }
    return near.min { $0.1 < $1.1 }?.0
  }

  /// The number of letters to add, remove or change to come to another text (Levenshtein 1966).
  package func distance(to other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count)
    for (index, letter) in enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for place in other.indices {
        let changed = diagonal + (letter == other[place] ? 0 : 1)
        diagonal = row[place + 1]
        row[place + 1] = Swift.min(changed, row[place] + 1, row[place + 1] + 1)
      }
    }
    return row[other.count]
  }
}
