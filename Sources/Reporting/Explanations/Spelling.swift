extension String {
  /// The word of a list that is most like this one; nil if none is like it: one letter in four, and at least
  /// one, may be wrong, whatever the case.
  package func nearest(in words: some Sequence<String>) -> String? {
    guard count > 1 else { return nil }
    let limit = Swift.max(1, count / 4)
    let near = words.map { ($0, distance(to: $0)) }.filter { $0.1 <= limit }
    return near.min { $0.1 < $1.1 }?.0
  }

  /// How many letters must be added, removed or changed to come to another word, whatever the case; two that
  /// have changed places are two (Levenshtein 1966).
  private func distance(to other: String) -> Int {
    let (mine, others) = (Array(lowercased()), Array(other.lowercased()))
    var row = Array(0...others.count)
    for (index, letter) in mine.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in others.indices {
        let change = diagonal + (letter == others[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(change, diagonal + 1, row[column] + 1)
      }
    }
    return row[others.count]
  }
}
