import AlcoholKinetics
import StudyData

/// The terms of one drink in a text.
struct DrinkTextPart {
  var count: Double?
  var drink: DrinkVocabulary.Name?
  var vessels: [DrinkVocabulary.Vessel] = []
  var vesselName = ""
  /// The volume of one, in ml.
  var volume: Double?
  var percent: Double?
  var grams: Double?
  var isStandardDrink = false
  var isNothing = false
  var region: DrinkRegion?
  /// The grams of the standard drink of a named country.
  var country: Double?
  var isEach = false
  var isTotal = false
  var unknown: String?

  /// Whether the terms identify a drink or an amount of ethanol.
  var isDrink: Bool {
    drink != nil || !vessels.isEmpty || isStandardDrink || isNothing || grams != nil
      || volume != nil && percent != nil
  }
}

/// A text of drinks, split into tokens, terms and drinks.
struct DrinkTextParts {
  private(set) var drinks: [DrinkTextPart] = []

  private static let longest = 200

  init(_ text: String, _ catalogue: DrinkCatalogue) throws(ParsedDrink.ParsingError) {
    guard text.utf8.count <= Self.longest else { throw .unknown(text.excerpt()) }
    guard !Vocabulary.has(text.trimmed.lowercased(), "text", "nothing") else {
      drinks = [DrinkTextPart(isNothing: true)]
      return
    }
    if let drink = catalogue[text.trimmed], Int(text.trimmed) == nil {
      drinks = [DrinkTextPart(drink: DrinkVocabulary.Name(name: drink.name, isKind: false))]
      return
    }
    let tokens = try Self.tokens(in: DrinkVocabulary.fold(text))
    var parts: [DrinkTextPart] = [DrinkTextPart()]
    for segment in try Self.segments(tokens, catalogue) {
      // A segment that identifies no drink belongs to its neighbour.
      if parts[parts.count - 1].isDrink, try Self.part(segment).isDrink {
        parts.append(DrinkTextPart())
      }
      for term in segment { try Self.add(term, to: &parts[parts.count - 1]) }
    }
    drinks = parts
    for part in parts {
      guard part.isDrink else { throw .unknown(part.unknown ?? text.excerpt()) }
      let isWritten = part.volume != nil && part.percent != nil
      if let unknown = part.unknown, !isWritten { throw .unknown(unknown) }
    }
  }

  private static func part(_ terms: [Match]) throws(ParsedDrink.ParsingError) -> DrinkTextPart {
    var part = DrinkTextPart()
    for term in terms { try add(term, to: &part) }
    return part
  }

  // MARK: Tokens

  private enum Token: Equatable {
    case number(Double)
    case word(String)
    case open, close, comma
  }

  private static func tokens(in text: String) throws(ParsedDrink.ParsingError) -> [Token] {
    var tokens: [Token] = []
    var rest = text.replacing("½", with: " 1/2").replacing("¼", with: " 1/4").replacing(
      "¾", with: " 3/4")[...]
    while let next = rest.first {
      if next.isASCIIDigit {
        tokens.append(.number(try number(&rest, following: &tokens)))
      } else if next.isLetter {
        let word = rest.prefix(while: \.isLetter)
        rest = rest.dropFirst(word.count)
        tokens.append(.word(String(word)))
      } else {
        rest.removeFirst()
        switch next {
        case "%": tokens.append(.word("%"))
        case "+", "&": tokens.append(.word("and"))
        case "×", "*", "@": tokens.append(.word("x"))
        case "(", "[": tokens.append(.open)
        case ")", "]": tokens.append(.close)
        case ",", ";": tokens.append(.comma)
        case ".", "'", "’", "#": break
        // Allowed in half-pint and v/v; between numbers they would be a range or a date.
        case "-", "/", "–":
          guard case .word? = tokens.last, rest.first?.isLetter == true else {
            throw .unknown(text.excerpt())
          }
        default:
          guard next.isWhitespace else { throw .unknown(String(next).excerpt()) }
        }
      }
    }
    return tokens
  }

  /// Reads a number such as 2, 0.5, 0,5 or 1/2; 1 1/2 is one number.
  private static func number(
    _ rest: inout Substring, following tokens: inout [Token]
  ) throws(ParsedDrink.ParsingError) -> Double {
    let start = rest
    var digits = readDigits(&rest)
    if let point = rest.first, ".,".contains(point), rest.dropFirst().first?.isASCIIDigit == true {
      rest.removeFirst()
      let decimals = readDigits(&rest)
      // Three digits after the sign may be thousands.
      if decimals.count == 3, digits != "0" {
        throw .unclear("whether \(digits)\(point)\(decimals) is thousands or a fraction")
      }
      digits += "." + decimals
    }
    guard digits.utf8.count <= 12, var number = Double(digits) else {
      throw .unknown(start.excerpt())
    }
    if rest.first == "/", rest.dropFirst().first?.isASCIIDigit == true {
      rest.removeFirst()
      guard let divisor = Double(readDigits(&rest)), (2...10).contains(divisor), number < divisor
      else {
        throw .unknown(start.excerpt())
      }
      number /= divisor
      if case .number(let whole)? = tokens.last, whole == whole.rounded() {
        tokens.removeLast()
        number += whole
      }
    }
    return number
  }

  private static func readDigits(_ rest: inout Substring) -> String {
    let digits = rest.prefix(while: \.isASCIIDigit)
    rest = rest.dropFirst(digits.count)
    return String(digits)
  }

  // MARK: Terms

  /// The words of a term with its meaning; nil if they are unknown.
  private struct Match {
    var term: DrinkVocabulary.Term?
    var words: String
    /// The number before a unit.
    var amount: Double?
  }

  /// Returns the terms, split at each comma, sign or word that may separate two drinks.
  private static func segments(
    _ tokens: [Token], _ catalogue: DrinkCatalogue
  ) throws(ParsedDrink.ParsingError) -> [[Match]] {
    var segments: [[Match]] = [[]]
    var index = 0
    var depth = 0
    while index < tokens.count {
      switch tokens[index] {
      case .open: depth += 1
      case .close: depth -= 1
      case .comma: if depth == 0 { segments.append([]) }
      case .number(let value):
        segments[segments.count - 1].append(Match(term: .number(value), words: value.shown))
      case .word:
        let (match, count) = term(in: tokens[index...], catalogue)
        index += count - 1
        switch match.term {
        case .and?:
          segments.append([])
        case .article?:
          // "a" is "and" in Czech, and one in other languages, as in "a beer".
          let next = tokens.indices.contains(index + 1) ? tokens[index + 1] : nil
          let last = segments[segments.count - 1]
          if match.words == "a", case .number? = next, !last.isEmpty {
            segments.append([])
          } else {
            segments[segments.count - 1].append(match)
          }
        case .millilitres?, .percent?, .proof?, .grams?:
          var match = match
          let last = segments.count - 1
          if case .number(let value)? = segments[last].last?.term {
            segments[last].removeLast()
            match.amount = value
          }
          segments[last].append(match)
        default: segments[segments.count - 1].append(match)
        }
      }
      index += 1
    }
    return segments.filter { !$0.isEmpty }
  }

  /// Returns the longest known term at the beginning of the tokens, and its number of words.
  private static func term(
    in tokens: ArraySlice<Token>, _ catalogue: DrinkCatalogue
  ) -> (Match, count: Int) {
    var words: [String] = []
    for case .word(let word) in tokens.prefix(while: { if case .word = $0 { true } else { false } })
      .prefix(DrinkVocabulary.longestTerm)
    {
      words.append(word)
    }
    for count in stride(from: words.count, through: 1, by: -1) {
      let text = words.prefix(count).joined(separator: " ")
      if let drink = catalogue[text] ?? DrinkCatalogue.standard[text], Int(text) == nil {
        let name = DrinkVocabulary.Name(name: drink.name, isKind: false)
        return (Match(term: .drink(name), words: text), count)
      }
      if let term = DrinkVocabulary.terms[text] { return (Match(term: term, words: text), count) }
    }
    return (Match(term: nil, words: words.first ?? ""), 1)
  }

  private static func add(
    _ match: Match, to part: inout DrinkTextPart
  ) throws(ParsedDrink.ParsingError) {
    switch match.term {
    case nil:
      part.unknown = part.unknown ?? match.words
    case .number(let number)?:
      guard part.count == nil, part.unknown == nil else {
        throw .unclear("how many \(match.words) is of")
      }
      part.count = number
    case .drink(let name)?:
      guard part.drink == nil || part.drink?.name == name.name else {
        throw .unclear("whether \(part.drink?.name ?? "") and \(name.name) are one drink or two")
      }
      part.drink = name
    case .vessels(let vessels)?:
      guard part.vessels.isEmpty else { throw .unclear("which vessel is meant") }
      part.vessels = vessels
      part.vesselName = match.words
    case .standardDrink?: part.isStandardDrink = true
    case .nothing?: part.isNothing = true
    case .region(let region)?: part.region = region
    case .country(let grams)?: part.country = grams
    case .each?: part.isEach = true
    case .total?: part.isTotal = true
    case .article?, .and?, .filler?: break
    case .millilitres(let scale)?:
      guard let amount = match.amount, part.volume == nil, amount > 0 else {
        throw .unclear("how much \(match.words) is")
      }
      part.volume = amount * scale
    case .percent?, .proof?:
      let scale = match.term == .proof ? 0.5 : 1
      guard let amount = match.amount, part.percent == nil, 0...100 ~= amount * scale else {
        throw .unclear("how strong it is")
      }
      part.percent = amount * scale
    case .grams?:
      guard let amount = match.amount, part.grams == nil else { throw .unclear("how much it is") }
      part.grams = amount
    }
    if part.grams != nil, part.drink != nil || part.volume != nil || !part.vessels.isEmpty {
      throw .unclear("whether the grams are those of the drink or of its ethanol")
    }
  }
}
