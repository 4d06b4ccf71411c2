import AlcoholKinetics
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Numbers as people write them, with their units.
@Suite struct ParsedQuantityTests {
  @Test(
    arguments: [
      ("182", 182.0, nil), ("1,82 m", 1.82, "m"), ("1.82m", 1.82, "m"), ("182cm", 182, "cm"),
      ("5'11\"", 71, "in"), ("5’11”", 71, "in"), ("5 ft 11 in", 71, "in"), ("5'11", 71, "in"),
      ("5 ft", 5, "ft"), ("5'", 5, "'"), ("1 m 82", 182, "cm"), ("70in", 70, "in"),
      ("180lb", 180, "lb"), ("185 lbs", 185, "lbs"), ("185 lbs.", 185, "lbs"),
      ("13 st 5 lb", 187, "lb"),
      ("34 J.", 34, "j"), ("34 yrs", 34, "yrs"), ("12oz", 12, "oz"), ("1.5 oz", 1.5, "oz"),
      ("1 h 30 min", 90, "min"), ("1h30", 90, "min"), ("0,45", 0.45, nil), ("0,455", 0.455, nil),
      ("60 mg/100 mL", 60, "mg/100 ml"), ("0.3 g/210 L", 0.3, "g/210 l"), ("5%", 5, "%"),
      ("-5", -5, nil), ("1e3", 1000, nil), ("+2,5 h", 2.5, "h"),
    ] as [(String, Double, String?)])
  func quantitiesAreSplitIntoNumberAndUnit(_ text: String, _ number: Double, _ unit: String?) throws
  {
    let quantity = try #require(ParsedQuantity(text))
    #expect(agree(quantity.number, number) && quantity.unit == unit, "\(quantity)")
  }

  @Test(arguments: [
    "", "tall", "~180", "5'13\"", "5-11", "1,250", "1,2,3", "1.2.3", "12 34", "5.5'3\"",
    "1 h 75 min",
    "kg", "'", "5'11\"3", "½", "١٢",
  ])
  func otherTextsAreNoQuantities(_ text: String) {
    #expect(ParsedQuantity(text) == nil)
  }

  /// No text of a cell ends the process.
  @Test func randomTextsDoNotCrash() {
    var generator = SeededGenerator(seed: 34)
    let parts = [
      "1", "0", ",", ".", "'", "\"", "ft", "in", "st", "lb", " ", "h", "min", "m", "-", "é", "/",
      "100",
    ]
    for _ in 0..<5000 {
      let text = (0..<Int.random(in: 0...8, using: &generator))
        .compactMap { _ in parts.randomElement(using: &generator) }.joined()
      for comma in [ParsedQuantity.DecimalComma.never, .ifCertain, .always] {
        if let quantity = ParsedQuantity(text, decimalComma: comma) {
          #expect(quantity.number.isFinite)
        }
      }
    }
  }

  @Test(arguments: [
    ("Height", "1,82 m", 182.0), ("Height", "182 cm", 182), ("Height", "182", 182),
    ("Height", "1.82", 182),
    ("Height", "5'11\"", 180.34), ("Height (cm)", "182 cm", 182), ("Height (ft)", "5'11\"", 180.34),
    ("Height (in)", "71", 180.34), ("Height (m)", "1,82", 182),
  ])
  func writtenHeightsAreRead(_ header: String, _ text: String, _ centimetres: Double) throws {
    let height = try #require(
      try SheetText.study(Self.sheet(header, [text])).series[0].subject.height)
    #expect(agree(height.centimetres, centimetres))
  }

  /// Heights of a column may be written in several ways: those without a unit are recognised by their size.
  @Test func heightsOfOneColumnMayDiffer() throws {
    let texts = ["1,82 m", "182", "1.82", "5'11\"", "180 cm"]
    let heights = try SheetText.study(Self.sheet("Größe", texts)).series.compactMap {
      $0.subject.height?.centimetres
    }
    #expect(zip(heights, [182, 182, 182, 180.34, 180]).allSatisfy { agree($0, $1) }, "\(heights)")
    #expect(heights.count == 5)
  }

  @Test func weightsOfOneColumnMayDiffer() throws {
    let weights = { (texts: [String]) in
      try SheetText.study(Self.sheet("Weight", texts)).series.compactMap {
        $0.subject.weight?.value
      }
    }
    #expect(try weights(["84 kg", "185 lbs"]).last.map { agree($0, 83.91458845) } == true)
    #expect(try weights(["84 kg", "84"]) == [84, 84])
    // Kilograms or pounds?
    let findings = SheetText.findings(Self.sheet("Weight", ["84 kg", "185 lbs", "180"]))
    #expect(findings.map(\.code) == [.columnUnit])
  }

  @Test func agesHaveUnits() throws {
    let ages = try SheetText.study(Self.sheet("Age", ["34 J.", "28 yrs", "51", "45 let"])).series
      .compactMap { $0.subject.age?.value }
    #expect(ages == [34, 28, 51, 45])
  }

  /// 5.11 ft is 5 ft 11 in to some and 5 ft 1.3 in to others.
  @Test func asksWhetherFeetHaveDecimals() throws {
    let text = Self.sheet("Height (ft)", ["5.11", "5.10", "6.1"])
    let findings = SheetText.findings(text)
    #expect(findings.map(\.code) == [.columnUnit])
    let heights = { (map: String) in
      try SheetText.study(text, map: "Height (ft)=\(map)").series.compactMap {
        $0.subject.height?.centimetres
      }
    }
    #expect(try zip(heights("height_ft_in"), [180.34, 177.8, 185.42]).allSatisfy { agree($0, $1) })
    #expect(
      try zip(heights("height_ft"), [155.7528, 155.448, 185.928]).allSatisfy { agree($0, $1) })
    // These can be no inches.
    let decimal = try SheetText.study(Self.sheet("Height (ft)", ["5.92", "5.5"])).series
    #expect(decimal.compactMap { $0.subject.height?.centimetres }.allSatisfy { $0 > 160 })
  }

  private static func sheet(_ header: String, _ texts: [String]) -> String {
    "ID|\(header)|Time (min)|Ethanol (g)|BAC (g/kg)\n"
      + texts.enumerated().map { "\($0)|\($1)|0|30|\n\($0)|\($1)|60||0.4" }.joined(separator: "\n")
  }
}
