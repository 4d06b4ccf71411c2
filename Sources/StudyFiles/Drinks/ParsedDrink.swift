public import AlcoholKinetics
import StudyData

/// A drink parsed from text: `2 Bier (0,5 l)`, `3 shots (1.5 oz, 40%)`, `a glass of white wine`, `2 standard drinks`.
///
/// A missing strength is taken from the catalogue and a missing size from a region; ``assumed`` lists these.
///
/// ```swift
/// let drinks = try ParsedDrink.read("2 pints lager, 1 shot vodka", sizes: .uk)
/// print(drinks.map(\.ethanol), drinks.map(\.text))
/// ```
public struct ParsedDrink: Hashable, Sendable {
  /// A property that was assumed because the text does not state it.
  public enum Assumption: String, Hashable, Sendable {
    /// The volume of one drink, or the grams of a standard drink.
    case size
    /// The alcohol by volume.
    case strength
  }

  /// The number of drinks.
  public var count: Double
  /// The name in the catalogue, or `standard drink`; empty if volume and strength or the ethanol are stated instead.
  public var name: String
  /// The volume of one drink; nil if the ethanol is stated, and for standard drinks.
  public var volume: Millilitres?
  /// Alcohol by volume, in percent; nil if ``volume`` is.
  public var abvPercent: Double?
  /// The ethanol in one drink.
  public var ethanolInOne: Grams
  /// The properties that the text does not state.
  public var assumed: Set<Assumption>

  /// The ethanol in all drinks.
  public var ethanol: Grams { Grams(count * ethanolInOne.value) }

  /// The drink with all properties, such as `3 x lager, 355 ml, 5 %: 42 g`.
  public var text: String {
    let number = count == 1 ? "" : "\(count.shown) x "
    let size = volume.map { ", \($0.value.shown) ml" } ?? ""
    let strength = abvPercent.map { ", \($0.shown) %" } ?? ""
    return
      "\(number)\(name.isEmpty ? "drink" : name)\(size)\(strength): \(ethanol.value.shown) g"
  }

  /// The reason why a text cannot be parsed.
  public enum ParsingError: Error, Hashable, Sendable {
    /// Unknown words or signs.
    case unknown(String)
    /// An ambiguous text, with the open question.
    case unclear(String)
  }

  /// Parses one drink, or several separated by a comma, `+` or "and". Drinks without alcohol, such as water, are returned
  /// only if there is no other.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - region: The region whose sizes apply if none is stated.
  ///   - catalogue: The drinks that may be named.
  /// - Throws: ``ParsingError`` if any part of the text is unknown or ambiguous.
  public static func read(
    _ text: String, sizes region: DrinkRegion = .eu, catalogue: DrinkCatalogue = .standard
  ) throws(ParsingError) -> [ParsedDrink] {
    let drinks = try DrinkTextParts(text, catalogue).drinks.map { part throws(ParsingError) in
      try ParsedDrink(part, sizes: region, catalogue: catalogue)
    }
    let alcoholic = drinks.filter { $0.ethanolInOne > 0 }
    return alcoholic.isEmpty ? Array(drinks.prefix(1)) : alcoholic
  }
}

// MARK: Stated and assumed properties

extension ParsedDrink {
  init(
    _ part: DrinkTextPart, sizes stated: DrinkRegion, catalogue: DrinkCatalogue
  ) throws(ParsingError) {
    let region = part.region ?? stated
    count = part.count ?? 1
    assumed = []
    if let grams = part.grams {
      name = part.drink?.name ?? ""
      volume = nil
      abvPercent = nil
      ethanolInOne = Grams(grams)
      return
    }
    if part.isStandardDrink {
      name = "standard drink"
      volume = nil
      abvPercent = nil
      ethanolInOne = part.country.map { Grams($0) } ?? region.standardDrink
      if part.country == nil, part.region == nil { assumed = [.size] }
      return
    }
    if part.isNothing, part.drink == nil, part.vessels.isEmpty {
      name = ""
      volume = nil
      abvPercent = nil
      ethanolInOne = 0
      return
    }
    guard let drink = Self.drink(of: part, catalogue) else {
      guard let written = part.volume, let percent = part.percent else {
        throw .unknown(part.unknown ?? "")
      }
      name = ""
      volume = Millilitres(written)
      abvPercent = percent
      ethanolInOne = Self.ethanol(written, percent)
      try applyTotal(part, .none)
      return
    }
    name = drink.name
    let (size, isAssumed) = try Self.size(of: part, drink, region)
    let percent = part.percent ?? drink.abvPercent
    volume = Millilitres(size)
    abvPercent = percent
    ethanolInOne = Self.ethanol(size, percent)
    if isAssumed { assumed.insert(.size) }
    // A catalogue of the user states the strength of its drinks; the built-in one has typical values.
    if part.percent == nil, !catalogue.isCustom || part.drink?.isKind ?? true {
      assumed.insert(.strength)
    }
    try applyTotal(part, drink.type)
  }

  private static func ethanol(_ millilitres: Double, _ percent: Double) -> Grams {
    Grams(millilitres * percent / 100 * EthanolDose.densityGramsPerMillilitre)
  }

  /// Returns the named drink, or the usual one of the vessel.
  private static func drink(of part: DrinkTextPart, _ catalogue: DrinkCatalogue) -> CatalogueDrink?
  {
    let name =
      part.drink?.name
      ?? part.vessels.lazy.compactMap(\.type).first.flatMap(DrinkVocabulary.usual)
    return name.flatMap { catalogue[$0] ?? DrinkCatalogue.standard[$0] }
  }

  private static func size(
    of part: DrinkTextPart, _ drink: CatalogueDrink, _ region: DrinkRegion
  ) throws(ParsingError) -> (millilitres: Double, isAssumed: Bool) {
    if let volume = part.volume { return (volume, false) }
    let isRegionWritten = part.region != nil
    if !part.vessels.isEmpty {
      guard let vessel = part.vessels.first(where: { $0.type == nil || $0.type == drink.type })
      else { throw .unclear("how much \(drink.name) is in \(part.vesselName)") }
      if let size = vessel.sizes?[region] { return (size, !vessel.isMeasure && !isRegionWritten) }
    }
    // A drink with only one size in the catalogue has that.
    if part.drink?.isKind == false, part.vessels.isEmpty, drink.volumes.count == 1 {
      return (drink.volumes[0].value, false)
    }
    guard
      let size = DrinkVocabulary.servings[drink.type]?[region] ?? drink.volumes.first?.value
    else { throw .unclear("how much one \(drink.name) is") }
    return (size, true)
  }

  /// Divides a size by the number of drinks if the text states it as the total; throws if it may be either.
  private mutating func applyTotal(_ part: DrinkTextPart, _ type: DrinkType) throws(ParsingError) {
    guard let written = part.volume, count > 1 else { return }
    if part.isTotal {
      volume = Millilitres(written / count)
      ethanolInOne = Grams(ethanolInOne.value / count)
      return
    }
    let most = DrinkVocabulary.largestServing(of: type)
    guard !part.isEach, part.vessels.allSatisfy({ $0.sizes == nil }), type != .none, written > most,
      written / count <= most
    else { return }
    throw .unclear("whether \(written.shown) ml is one of \(count.shown) or all together")
  }
}
