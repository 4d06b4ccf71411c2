import AlcoholKinetics
import Foundation
import StudyData
import Testing

@testable import StudyFiles

/// Units in the words of spreadsheets, wherever they may be written.
@Suite struct WrittenUnitTests {
  @Test(arguments: [
    ("bac_mg_per_100ml", "bac_mg_per_100ml"), ("BRAC_MG_PER_L", "brac_mg_per_l"),
    ("bac_mmol_per_l", "bac_mmol_per_l"), ("promille", "bac_g_per_kg"),
    ("per mille", "bac_g_per_kg"), ("‰", "bac_g_per_kg"), ("Promile", "bac_g_per_kg"),
    ("mg%", "bac_mg_per_100ml"), ("mg/dl", "bac_mg_per_100ml"),
    ("mg per 100 ml", "bac_mg_per_100ml"), ("mmol/L", "bac_mmol_per_l"),
    ("serum mmol/l", "serum_mmol_per_l"), ("g/L serum", "serum_g_per_l"),
    ("g/L in plasma", "serum_g_per_l"), ("Blut g/L", "bac_g_per_l"), ("g/l", "bac_g_per_l"),
    ("ug/100 ml breath", "brac_ug_per_100ml"), ("µg/100 ml", "brac_ug_per_100ml"),
    ("breath mg/L", "brac_mg_per_l"), ("BrAC (mg/L)", "brac_mg_per_l"),
    ("BAC %", "bac_g_per_100ml"), ("whole blood g/100 ml", "bac_g_per_100ml"),
    ("g/210 L", "brac_g_per_210l"), ("breath ug/L", "brac_ug_per_l"),
  ])
  func wordsAreUnits(text: String, name: String) throws {
    #expect(try ConcentrationUnit(written: text).rawValue == name)
  }

  @Test(arguments: ["mg/L", "%", "ug/l", "g%"])
  func unitOfBreathAndBloodIsAsked(text: String) {
    let error = #expect(throws: ConcentrationUnit.Unreadable.self) {
      try ConcentrationUnit(written: text)
    }
    #expect(error?.reason.contains("of breath") == true)
    #expect(error?.remedy.contains("brac_") == true && error?.remedy.contains("bac_") == true)
  }

  @Test(arguments: [
    "", " ", "mg", "urine mg/100 ml", "mg/100 ml urine", "blood", "blood kg", "x\u{0}", "()",
    String(repeating: "blood ", count: 100) + "g/L",
  ])
  func otherTextsAreNoUnits(text: String) {
    #expect(throws: ConcentrationUnit.Unreadable.self) { try ConcentrationUnit(written: text) }
  }

  /// Every unit of the table is found by its name and by each of its words behind its sample.
  @Test func everyWordOfTheTableIsKnown() throws {
    for unit in ConcentrationUnit.all {
      #expect(try ConcentrationUnit(written: unit.rawValue) == unit)
      for word in unit.otherWords {
        for text in ["\(unit.matrix) \(word)", "\(word) \(unit.matrix)"] {
          #expect(try ConcentrationUnit(written: text) == unit, "\(text)")
        }
      }
    }
  }

  /// One millimole of ethanol is 0.0460684 g (NIST): 20 mmol/L are 0.921368 g/L.
  @Test func unitsOfNoStudyConvert() throws {
    let factors = ConversionFactors()
    for (text, value, kept, number) in [
      ("mmol/L", 20, "bac_g_per_l", 0.921_368), ("serum mmol/L", 20, "serum_g_per_l", 0.921_368),
      ("breath ug/L", 350, "brac_mg_per_l", 0.35),
    ] {
      let unit = try ConcentrationUnit(written: text)
      let same = try #require(ConcentrationUnit(rawValue: kept))
      #expect(unit.keptIn == same && ConcentrationUnit(rawValue: unit.rawValue) == nil)
      let blood = unit.bloodConcentration(of: Double(value), using: factors)
      #expect(abs(same.value(of: blood, using: factors) - number) < 1e-12)
    }
  }

  @Test func tableOfEventsTakesWordsForUnits() throws {
    let text = """
      ID,TIME,AMT,EVID,MDV,DV,DV_UNIT,WT
      1,0,40,1,1,.,.,80
      1,1,.,0,0,20,mmol/L,80
      1,2,.,0,0,80,mg%,80

      """
    let file = InputFile(path: "events.csv", bytes: Data(text.utf8))
    let study = try StudyReader(StudyInput(events: file, dvUnit: .bloodGramsPerKilogram)).study()
    let readings = study.series[0].readings
    #expect(readings.map(\.unit.rawValue) == ["bac_g_per_l", "bac_mg_per_100ml"])
    #expect(abs(readings[0].value - 0.921_368) < 1e-12 && readings[1].value == 80)
  }
}
