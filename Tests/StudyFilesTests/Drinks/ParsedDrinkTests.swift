import AlcoholKinetics
import Testing

@testable import StudyData
@testable import StudyFiles

/// Drinks as people write them, in grams worked out by hand: ml x percent / 100 x 0.789.
@Suite struct ParsedDrinkTests {
  private static func grams(_ text: String, _ region: DrinkRegion = .us) -> Double? {
    let drinks = try? ParsedDrink.read(text, sizes: region)
    return drinks?.reduce(0) { $0 + $1.ethanol.value }
  }

  @Test(arguments: [
    ("2 Bier (0,5 l)", 39.45), ("3 Glas Rotwein (0,2 l)", 61.542), ("3 Bier (0,5 l)", 59.175),
    ("2 Pils (0,33 l)", 24.996), ("3 shots (1.5 oz, 40%)", 42.0), ("2 beers (12 oz, 5%)", 28.0),
    ("0,5 l Bier 5 %", 19.725), ("2 cl vodka", 6.312), ("1 Maß Bier", 39.45), ("4 Halbe", 78.9),
    ("2 x 0.5 l beer", 39.45), ("2x0.5l beer 5%", 39.45), ("2 × 330 ml lager, 4.6 %", 23.954),
    ("1 bottle of red wine", 76.928), ("2 dl white wine", 18.936), ("1/2 l beer", 19.725),
    ("½ l beer", 19.725), ("1 1/2 l beer", 59.175), ("500 ml Kozel 4.6 %", 18.147),
    ("20 g ethanol", 20), ("2 Bier à 0,5 l", 39.45), ("4 cl Whisky 80 proof", 12.624),
    ("2 beers, 1 l in total", 39.45), ("ein Achtel Rotwein", 12.821),
    ("two glasses (0.2 l) of wine", 37.872),
  ])
  func writtenSizesAreUsed(_ text: String, _ expected: Double) throws {
    for region in DrinkRegion.allCases {
      let grams = try #require(Self.grams(text, region), "\(text)")
      #expect(abs(grams - expected) < 0.01, "\(text): \(grams)")
    }
    #expect(try ParsedDrink.read(text).allSatisfy { !$0.assumed.contains(.size) })
  }

  /// By region: United States, United Kingdom, Europe, Australia.
  @Test(arguments: [
    ("3 beers", [42.01, 67.22, 59.18, 44.38]), ("3 shots vodka", [42.0, 23.67, 37.87, 28.4]),
    ("2 glasses white wine", [23.67, 23.67, 23.67, 23.67]),
    ("1 pint lager", [18.67, 22.42, 19.73, 22.49]),
    ("2 standard drinks", [28, 16, 20, 20]), ("a beer", [14.0, 22.41, 19.73, 14.79]),
    ("double whisky", [28.0, 15.78, 12.62, 18.94]), ("2 units", [28, 16, 20, 20]),
  ])
  func missingSizesAreAssumed(_ text: String, _ expected: [Double]) throws {
    for (region, expected) in zip(DrinkRegion.allCases, expected) {
      let grams = try #require(Self.grams(text, region), "\(text)")
      #expect(abs(grams - expected) < 0.011, "\(text), \(region): \(grams)")
    }
    #expect(try ParsedDrink.read(text).contains { $0.assumed.contains(.size) })
  }

  @Test(arguments: [
    ("2 standard drinks (US)", 28.0), ("3 UK units", 24), ("2 standard drinks (Austria)", 40),
    ("1 pint (UK) bitter", 17.93),
  ])
  func writtenRegionDecidesSizes(_ text: String, _ expected: Double) throws {
    for region in DrinkRegion.allCases {
      let grams = try #require(Self.grams(text, region), "\(text)")
      #expect(abs(grams - expected) < 0.01, "\(text): \(grams)")
    }
    #expect(try ParsedDrink.read(text).allSatisfy { !$0.assumed.contains(.size) })
  }

  @Test func severalDrinksInATextAreRead() throws {
    let drinks = try ParsedDrink.read("2 pints lager, 1 shot vodka + 3 UK units", sizes: .uk)
    #expect(drinks.map(\.count) == [2, 1, 3])
    #expect(drinks.map(\.name) == ["lager", "vodka", "standard drink"])
    #expect(try ParsedDrink.read("1 pivo a 2 panáky").map(\.count) == [1, 2])
    #expect(try ParsedDrink.read("ein Bier und zwei Kurze").map(\.ethanol.value).reduce(0, +) > 30)
    #expect(try ParsedDrink.read("gin and tonic").map(\.name) == ["gin and tonic"])
    #expect(try ParsedDrink.read("2 beers, 500 ml, 5 %").map(\.ethanol.value) == [39.45])
  }

  @Test(arguments: ["water", "none", "placebo", "0 beers", "nichts", "orange juice"])
  func alcoholFreeDrinksHaveNoEthanol(_ text: String) throws {
    #expect(try ParsedDrink.read(text).map(\.ethanol.value) == [0])
  }

  /// Ambiguous and unreadable texts are refused, never guessed.
  @Test(arguments: [
    "2-3 beers", "~2 beers", "2 beers 3", "a few beers", "3 beers and a burger",
    "2 glasses of wine (500 ml)",
    "20 g beer", "11°", "beer wine", "2 glasses", "1,000 ml beer", "5 % beer 4 %", "", "%", "(",
    "2 pitchers beer",
    "99999999999999999999 beers", "2 Kozel 11 (0,5 l)", "3/0 beers", "beer 500 ml 330 ml",
  ])
  func unclearTextIsRefused(_ text: String) {
    #expect(throws: ParsedDrink.ParsingError.self) { try ParsedDrink.read(text) }
  }

  @Test func catalogueNamesTakePrecedence() throws {
    let own = DrinkCatalogue(drinks: [
      CatalogueDrink(id: 1, name: "Kozel 11", volumes: [500], abvPercent: 4.6, type: .beer),
      CatalogueDrink(id: 2, name: "beer", volumes: [400], abvPercent: 4, type: .beer),
    ])
    let kozel = try ParsedDrink.read("Kozel 11", catalogue: own)
    #expect(kozel.map(\.volume) == [500] && kozel[0].assumed == [])
    let beers = try ParsedDrink.read("2 beer", catalogue: own)
    #expect(beers.map(\.volume) == [400] && beers[0].abvPercent == 4)
  }

  /// Texts of all kinds end in drinks with finite grams or in a refusal.
  @Test func anyTextGivesDrinksOrARefusal() {
    let words = [
      "2", "0,5", "l", "beer", "shots", "of", "(", ")", ",", "%", "5", "x", "a", "and", "1/2",
      "vodka", "UK", "oz", "-",
      "standard drinks", "g", "½", "\u{301}", "🍺", "half", "pint",
    ]
    var random = 12345 as UInt64
    let draw = { (count: Int) -> Int in
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((random >> 33) % UInt64(count))
    }
    for _ in 0..<3000 {
      let text = (0..<draw(8)).map { _ in words[draw(words.count)] }.joined(separator: " ")
      guard let drinks = try? ParsedDrink.read(text) else { continue }
      #expect(
        !drinks.isEmpty && drinks.allSatisfy { $0.ethanol.value.isFinite && $0.ethanol >= 0 },
        "\(text)")
    }
  }
}
