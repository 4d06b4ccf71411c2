import Foundation
import StudyData

/// The words for drinks, vessels and measures, with their sizes.
package enum DrinkVocabulary {
  /// Sizes in ml.
  typealias Sizes = [DrinkRegion: Double]

  struct Vessel: Hashable, Sendable {
    /// The kind of drink in it; nil for any.
    let type: DrinkType?
    /// Its volume by region; nil if it has no fixed size.
    let sizes: Sizes?
    /// Whether it is a measure with the same volume in all regions.
    var isMeasure: Bool { sizes.map { Set($0.values).count == 1 } ?? false }
  }

  struct Name: Hashable, Sendable {
    let name: String
    /// Whether the word names a kind, of which the drink is only the usual one.
    let isKind: Bool
  }

  enum Term: Hashable, Sendable {
    case drink(Name)
    case vessels([Vessel])
    /// No alcohol.
    case nothing
    case standardDrink
    case region(DrinkRegion)
    /// A country, by the grams of its standard drink.
    case country(Double)
    case number(Double)
    /// "a", which means one, and in Czech "and".
    case article
    case each, total, and, filler
    case millilitres(Double)
    case percent, proof, grams
  }

  static let longestTerm = 4

  static func fold(_ text: some StringProtocol) -> String {
    text.lowercased().replacing("ß", with: "ss").replacing("ø", with: "o")
      .folding(options: .diacriticInsensitive, locale: nil)
  }

  /// Returns the maximum volume of one serving in ml; a larger volume may be the total of several drinks.
  package static func largestServing(of type: DrinkType) -> Double {
    largest[type.rawValue] ?? 0
  }

  private static let largest = Vocabulary.meanings("largest serving").compactMapValues(Double.init)

  /// The volume of a serving without a named vessel; kinds that are missing use the first volume of the catalogue.
  static let servings = Vocabulary.lines("serving").reduce(into: [DrinkType: Sizes]()) {
    for type in $1.words.compactMap(DrinkType.init) { $0[type] = sizes($1.meaning) }
  }

  /// Returns the catalogue's name of the usual drink of a kind.
  static func usual(_ type: DrinkType) -> String? { usual[type.rawValue] }

  private static let usual = Vocabulary.meanings("usual drink")

  // MARK: Words

  /// The meanings of words, which are normalised by ``fold(_:)``.
  static let terms: [String: Term] = {
    var terms: [String: Term] = [:]
    for list in ["kind of drink", "drink", "vessel", "country", "number", "term"] {
      for line in Vocabulary.lines(list) {
        guard let term = Term(list, line.meaning) else { continue }
        for word in line.words.map(fold) {
          if case .vessels(let vessels)? = terms[word], case .vessels(let more) = term {
            terms[word] = .vessels(vessels + more)
          } else {
            terms[word] = term
          }
        }
      }
    }
    return terms
  }()
}

extension DrinkVocabulary {
  /// Parses four numbers, one for each region; nil for any other text.
  fileprivate static func sizes(_ text: some StringProtocol) -> Sizes? {
    let sizes = text.split(separator: " ").compactMap { Double($0) }
    guard sizes.count == 4 else { return nil }
    return Dictionary(uniqueKeysWithValues: zip([.us, .uk, .eu, .au], sizes))
  }
}

extension DrinkVocabulary.Term {
  /// Parses the meaning of a line of the vocabulary; nil if it is unknown.
  fileprivate init?(_ list: String, _ meaning: String) {
    let parts = meaning.split(separator: " ", maxSplits: 1)
    let rest = parts.dropFirst().first ?? ""
    switch (list, parts[0]) {
    case ("kind of drink", _), ("drink", _):
      self = .drink(DrinkVocabulary.Name(name: meaning, isKind: list == "kind of drink"))
    case ("vessel", let type):
      self = .vessels([
        DrinkVocabulary.Vessel(
          type: DrinkType(rawValue: String(type)), sizes: DrinkVocabulary.sizes(rest))
      ])
    case ("term", "region"):
      guard let region = DrinkRegion(rawValue: String(rest)) else { return nil }
      self = .region(region)
    case ("term", "millilitres"), ("country", _), ("number", _):
      guard let number = Double(parts.last ?? "") else { return nil }
      self =
        list == "term"
        ? .millilitres(number) : list == "country" ? .country(number) : .number(number)
    default:
      let plain: [DrinkVocabulary.Term] = [
        .nothing, .standardDrink, .article, .each, .total, .and, .filler, .percent, .proof, .grams,
      ]
      guard let term = plain.first(where: { "\($0)" == meaning }) else { return nil }
      self = term
    }
  }
}
