import AlcoholKinetics
import StudyFiles
import Testing

@testable import StudyData

/// Drinks as people write them, in sheets.
@Suite struct DrinkTextTests {
  private static func grams(_ text: String, map: String? = nil) throws -> [[Double]] {
    try SheetText.study(text, map: map).series.map { series in
      series.drinks.map {
        (($0.ethanol.mass(forBodyWeight: nil)?.value ?? 0) * 100).rounded() / 100
      }
    }
  }

  private static let party = """
    Name|Weight|Time|Drink|BAC (g/kg)
    Jack|185 lbs|9:00 PM|3 shots (1.5 oz, 40%)|
    Jack|185 lbs|9:50 PM||0.53
    Jill|132 lbs|9:00 PM|2 beers (12 oz, 5%)|
    Jill|132 lbs|9:50 PM||0.57
    """

  @Test func drinksWithSizeAndStrengthNeedNoQuestion() throws {
    #expect(try Self.grams(Self.party) == [[42], [28]])
    #expect(SheetText.findings(Self.party).isEmpty)
    let note = try SheetText.notes(Self.party)["Drink"] ?? ""
    #expect(note.contains("\"3 shots (1.5 oz, 40%)\" = 3 x vodka, 44.4 ml, 40 %: 42 g"), "\(note)")
  }

  @Test func anAssumedStrengthIsShown() throws {
    let sheet = """
      Proband|Getränk|30 min|60 min|90 min
      P01|2 Bier (0,5 l)|.4|.3|.2
      P02|3 Glas Rotwein (0,2 l)|.4|.3|.2
      """
    let map = "*=bac_g_per_kg"
    #expect(try Self.grams(sheet, map: map) == [[39.45], [61.54]])
    let found = SheetText.findings(sheet, map: map).filter { $0.code == .drinkAssumed }
    #expect(
      found.count == 1
        && found[0].message.contains("\"2 Bier (0,5 l)\" = 2 x lager, 500 ml, 5 %: 39.5 g"))
  }

  private static let form = """
    Participant|Sex|Weight (kg)|What did you drink?|Time of drinking|Sample time|BAC (%)
    Anna|f|61|2 glasses white wine|9:30 PM||
    Anna|f|61|||10:30 PM|0.049
    Ben|m|84|3 beers|9:37 PM||
    Ben|m|84|||10:30 PM|0.057
    Cleo|f|75|3 shots vodka|9:44 PM||
    Cleo|f|75|||10:30 PM|0.070
    """

  @Test func assumedSizesAreAskedOnce() throws {
    let found = SheetText.findings(Self.form)
    #expect(found.map(\.code) == [.drink])
    #expect(found[0].statements.first == "What did you drink?=drink_us")
    #expect(found[0].statements.count == DrinkRegion.allCases.count)
    #expect(found[0].remedy.contains("us: white wine 125 ml, lager 355 ml, vodka 44.4 ml"))
    let study = try SheetText.study(Self.form, map: found[0].statements[0])
    #expect(study.allDiagnostics.contains { $0.code == .drinkAssumed })
    #expect(try Self.grams(Self.form, map: found[0].statements[0]) == [[23.67], [42.01], [42]])
  }

  @Test(arguments: [
    // The volume beside it is that of the one drink, or, if it can be nothing else, of all.
    ("beer", "500", "", [19.73]), ("2 beers", "1000", "", [39.45]), ("Rotwein", "200", "", [20.51]),
    ("1 Bier", "500", "4", [15.78]),
  ])
  func volumesBesideDrinkTextsAreUsed(
    _ text: String, _ volume: String, _ abv: String, _ expected: [Double]
  )
    throws
  {
    let sheet = """
      Name|Weight (kg)|Drink|Volume (ml)|ABV (%)|Time (min)|BAC (g/kg)
      a|80|\(text)|\(volume)|\(abv)|0|
      a|80||||60|0.4
      """
    #expect(try Self.grams(sheet) == [expected])
  }

  @Test(arguments: [
    ("2 beers", "500", ""), ("2 beers (0.5 l)", "700", ""), ("2 beers 5 %", "", "4"),
    ("2 glasses of wine (500 ml)", "", ""),
    ("beer wine", "", ""), ("2", "", ""),
  ])
  func contradictoryDrinkColumnsAreQueried(_ text: String, _ volume: String, _ abv: String) {
    let sheet = """
      Name|Weight (kg)|Drink|Volume (ml)|ABV (%)|Time (min)|BAC (g/kg)
      a|80|\(text)|\(volume)|\(abv)|0|
      a|80||||60|0.4
      """
    #expect(
      SheetText.findings(sheet).map(\.code).contains(.ambiguous), "\(SheetText.findings(sheet))"
    )
  }

  @Test func aCountAndAQuantityAreNotMultipliedTwice() throws {
    let sheet = """
      Name|Weight (kg)|Drink|Quantity|Time (min)|BAC (g/kg)
      a|80|2 beers (0.5 l, 5 %)|2|0|
      a|80|||60|0.4
      b|80|beer (0.5 l, 5 %)|3|0|
      b|80|||60|0.4
      """
    #expect(try Self.grams(sheet) == [[39.45], [59.18]])
    #expect(
      SheetText.findings(sheet.replacing("5 %)|2|", with: "5 %)|4|")).map(\.code).contains(.number))
  }

  @Test func alcoholFreeDrinksArePlacebos() throws {
    let sheet = """
      Name|Weight (kg)|Drink|Time (min)|BAC (g/kg)
      a|80|0.5 l beer 5 %|0|
      a|80||60|0.4
      b|80|water|0|
      b|80||60|0
      """
    #expect(try Self.grams(sheet) == [[19.73], [0]])
  }

  @Test func unknownDrinkIsAnErrorOfItsRow() throws {
    let study = try SheetText.study(Self.party.replacing("3 shots (1.5 oz, 40%)", with: "3 zorps"))
    #expect(study.allDiagnostics.map(\.code).contains(.drink))
    #expect(study.series.map { $0.firstError == nil } == [false, true])
  }

  /// A missing strength is assumed, also for drinks that the catalogue names.
  @Test(arguments: ["6 cl whisky", "0.5 l pilsner", "2x500ml beer"])
  func missingStrengthIsAssumed(_ text: String) throws {
    #expect(try WrittenDrink.read(text).allSatisfy { $0.assumed == [.strength] })
    let own = DrinkCatalogue(drinks: DrinkCatalogue.standard.drinks)
    #expect(try WrittenDrink.read("6 cl whisky", catalogue: own)[0].assumed.isEmpty)
  }

  @Test(arguments: [
    "No", "N", "none yet", "kein", "Nichts getrunken", "still water", "Coffee", "nothing",
  ])
  func negativeAnswersAreZeroEthanol(_ text: String) throws {
    #expect(try WrittenDrink.read(text).map(\.ethanol) == [0])
  }

  /// Before it is asked when it was drunk.
  @Test(arguments: ["x", "/", "quaffed"]) func unreadableDrinkIsReportedBeforeItsTime(
    _ text: String
  ) {
    let sheet = """
      Timestamp|Participant|Weight (kg)|What did you drink?|BrAC (mg/L)
      2025-11-14 20:00|A|60|2 beers (0.5 l 5%)|
      2025-11-14 20:20|A||\(text)|0.25
      2025-11-14 20:50|A||0 beers|0.33
      """
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.drink])
    #expect(found[0].location.line == 3)
  }
}
