package import AlcoholKinetics
import StudyData

/// A drink as people write it: `2 Bier (0,5 l)`, `3 shots (1.5 oz, 40%)`, `a glass of white wine`, `2 standard drinks`.
///
/// What is not written is assumed, and ``assumed`` says what: a strength is that of the catalogue, a size that of a
/// region.
///
/// ```swift
/// let drinks = try WrittenDrink.read("2 pints lager, 1 shot vodka", sizes: .uk)
/// print(drinks.map(\.ethanol), drinks.map(\.text))
/// ```
package struct WrittenDrink: Hashable, Sendable {
  /// What may be missing in a text.
  package enum Assumption: String, Hashable, Sendable {
    /// How much one of them is.
    case size
    /// How strong it is.
    case strength
  }

  /// How many.
  package var count: Double
  /// What it is, as the catalogue calls it; `standard drink`, or nothing for what neither has a name nor needs one.
  package var name: String
  /// How much one of them is; nil where ethanol is written, and in standard drinks.
  package var volume: Millilitres?
  /// Alcohol by volume, in percent; nil where ``volume`` is.
  package var abvPercent: Double?
  /// The ethanol in one of them.
  package var ethanolInOne: Grams
  /// What the text does not say.
  package var assumed: Set<Assumption>

  /// The ethanol in all of them.
  package var ethanol: Grams { Grams(count * ethanolInOne.value) }

  /// The drink with all that it was taken to be, as `3 x lager, 355 ml, 5 %: 42 g`.
  package var text: String {
    let number = count == 1 ? "" : "\(count.shown) x "
    let size = volume.map { ", \($0.value.shown) ml" } ?? ""
    let strength = abvPercent.map { ", \($0.shown) %" } ?? ""
    return
      "\(number)\(name.isEmpty ? "drink" : name)\(size)\(strength): \(ethanol.value.shown) g"
  }

  /// Why a text is no drink.
  package enum Problem: Error, Hashable, Sendable {
    /// Words, or signs, that are not known.
    case unknown(String)
    /// What can be read in more than one way, and what was meant to be written.
    case unclear(String)
  }

  /// Reads what was drunk: one drink, or several with a comma, `+` or "and" between them. Nothing to drink, as water,
  /// is a drink without ethanol.
  ///
  /// - Parameters:
  ///   - text: What was written.
  ///   - region: Whose sizes hold where none is written.
  ///   - catalogue: What is known of drinks that are named.
  /// - Throws: ``Problem`` if any of it is not understood.
  package static func read(
    _ text: String, sizes region: DrinkRegion = .eu, catalogue: DrinkCatalogue = .standard
  ) throws(Problem) -> [WrittenDrink] {
    let drinks = try DrinkTextParts(text, catalogue).drinks.map { part throws(Problem) in
      try WrittenDrink(part, sizes: region, catalogue: catalogue)
    }
    let alcoholic = drinks.filter { $0.ethanolInOne > 0 }
    return alcoholic.isEmpty ? Array(drinks.prefix(1)) : alcoholic
  }
}

// MARK: What is written, and what is assumed

extension WrittenDrink {
  init(
    _ part: DrinkTextPart, sizes stated: DrinkRegion, catalogue: DrinkCatalogue
  ) throws(Problem) {
    let region = part.region ?? stated
    count = part.count ?? 1
    assumed = []
    if let grams = part.grams {
      name = part.drink?.name ?? ""
      (volume, abvPercent, ethanolInOne) = (nil, nil, Grams(grams))
      return
    }
    if part.isStandardDrink {
      name = "standard drink"
      (volume, abvPercent) = (nil, nil)
      ethanolInOne = part.country.map { Grams($0) } ?? region.standardDrink
      if part.country == nil, part.region == nil { assumed = [.size] }
      return
    }
    if part.isNothing, part.drink == nil, part.vessels.isEmpty {
      (name, volume, abvPercent, ethanolInOne) = ("", nil, nil, 0)
      return
    }
    guard let drink = Self.drink(of: part, catalogue) else {
      guard let written = part.volume, let percent = part.percent else {
        throw .unknown(part.unknown ?? "")
      }
      name = ""
      (volume, abvPercent) = (Millilitres(written), percent)
      ethanolInOne = Self.ethanol(written, percent)
      try settleTotal(part, .none)
      return
    }
    name = drink.name
    let (size, isAssumed) = try Self.size(of: part, drink, region)
    let percent = part.percent ?? drink.abvPercent
    (volume, abvPercent) = (Millilitres(size), percent)
    ethanolInOne = Self.ethanol(size, percent)
    if isAssumed { assumed.insert(.size) }
    // A catalogue of one's own says how strong its drinks are.
    if part.percent == nil, !catalogue.isOwn || part.drink?.isKind ?? true {
      assumed.insert(.strength)
    }
    try settleTotal(part, drink.type)
  }

  private static func ethanol(_ millilitres: Double, _ percent: Double) -> Grams {
    Grams(millilitres * percent / 100 * EthanolDose.densityGramsPerMillilitre)
  }

  /// The drink that is named, or the usual one in the vessel.
  private static func drink(of part: DrinkTextPart, _ catalogue: DrinkCatalogue) -> CatalogueDrink?
  {
    let name =
      part.drink?.name
      ?? part.vessels.lazy.compactMap(\.type).first.flatMap(DrinkVocabulary.usual)
    return name.flatMap { catalogue[$0] ?? DrinkCatalogue.standard[$0] }
  }

  private static func size(
    of part: DrinkTextPart, _ drink: CatalogueDrink, _ region: DrinkRegion
  ) throws(Problem) -> (millilitres: Double, isAssumed: Bool) {
    if let volume = part.volume { return (volume, false) }
    let isRegionWritten = part.region != nil
    if !part.vessels.isEmpty {
      guard let vessel = part.vessels.first(where: { $0.type == nil || $0.type == drink.type })
      else { throw .unclear("how much \(drink.name) is in \(part.vesselName)") }
      if let size = vessel.sizes?[region] { return (size, !vessel.isMeasure && !isRegionWritten) }
    }
    // What comes in one size only is that.
    if part.drink?.isKind == false, part.vessels.isEmpty, drink.volumes.count == 1 {
      return (drink.volumes[0].value, false)
    }
    guard
      let size = DrinkVocabulary.servings[drink.type]?[region] ?? drink.volumes.first?.value
    else { throw .unclear("how much one \(drink.name) is") }
    return (size, true)
  }

  /// A size behind several drinks is that of one, unless it can only be that of all.
  private mutating func settleTotal(_ part: DrinkTextPart, _ type: DrinkType) throws(Problem) {
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
