/// A text taken apart into numbers and what stands between them.
struct NumericText {
  private enum Part: Equatable {
    case number(Double)
    case words(Substring)
  }

  private var parts: [Part] = []

  /// Digits that stand among letters, as in a digest or a name, are no number.
  init(_ text: String) {
    var rest = text[...]
    while let first = rest.first {
      let isWord = Self.isWord(first)
      let run = rest.prefix { Self.isWord($0) == isWord }
      parts.append(Self.part(run))
      rest = rest[run.endIndex...]
    }
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "+-._".contains(character)
  }

  private static func part(_ run: Substring) -> Part {
    guard let number = Double(run), number.isFinite else { return .words(run) }
    return .number(number)
  }

  /// Whether words are equal and numbers differ by less than a fraction of them.
  func isClose(to other: NumericText, _ tolerance: Double) -> Bool {
    guard parts.count == other.parts.count else { return false }
    return zip(parts, other.parts).allSatisfy { pair in
      guard case (.number(let left), .number(let right)) = pair else { return pair.0 == pair.1 }
      return abs(left - right) <= tolerance * max(abs(left), abs(right))
    }
  }
}
