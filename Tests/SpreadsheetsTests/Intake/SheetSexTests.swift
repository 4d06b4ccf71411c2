import AlcoholKinetics
import Testing

@testable import StudyData
@testable import StudyFiles

/// Sexes as people write them: what leaves a doubt is asked for.
@Suite struct SheetSexTests {
  /// The header may list the letters, also if its cells are codes, which are asked about.
  @Test func headerMayListSexLetters() {
    let found = SheetText.findings(
      "ID|M/F|Weight (kg)|Time (min)|Ethanol (g)|BAC (g/kg)\n1|1|80|0|40|\n1|1|80|60||.5\n2|0|60|0|40|\n2|0|60|60||.5"
    )
    #expect(found.map(\.code) == [.sex])
  }

  private static func sheet(_ header: String, _ sexes: [String], weight: String = "Weight (kg)")
    -> String
  {
    "ID|\(header)|\(weight)|Time (min)|Ethanol (g)|BAC (g/kg)\n"
      + sexes.enumerated().map { "\($0)|\($1)|70|0|30|\n\($0)|\($1)|70|60||0.4" }.joined(
        separator: "\n")
  }

  private static func sexes(_ text: String, map: String? = nil) throws -> [Sex?] {
    try SheetText.study(text, map: map).series.map(\.subject.sex)
  }

  @Test(arguments: [
    ("Sex", ["1"]), ("Sex", ["2", "2"]), ("Sex", ["0"]), ("Geschlecht", ["1", "1"]),
    ("Sexo", ["M", "M"]),
  ])
  func unknownSexCodeIsQueriedOnce(_ header: String, _ codes: [String]) {
    let findings = SheetText.findings(Self.sheet(header, codes))
    #expect(findings.map(\.code) == [.sex])
    #expect(findings[0].statements.count == 2)
  }

  /// M beside hombre is mujer; under headers of no language that is asked.
  @Test func ambiguousSexLetterIsQueried() throws {
    #expect(SheetText.findings(Self.sheet("Sex", ["hombre", "M"])).map(\.code) == [.sex])
    #expect(
      try Self.sexes(Self.sheet("Sex", ["hombre", "M"]), map: "Sex=sex_hm") == [.male, .female])
  }

  @Test func answerSettlesOneSexCode() throws {
    #expect(try Self.sexes(Self.sheet("Sex", ["1"]), map: "Sex=sex_1f2m") == [.female])
    #expect(try Self.sexes(Self.sheet("Sexo", ["M"]), map: "Sexo=sex_hm") == [.female])
    #expect(try Self.sexes(Self.sheet("Sexo", ["M"]), map: "Sexo=sex_mf") == [.male])
  }

  /// Other headers tell the language, in which M is mujer or is not.
  @Test func headerLanguageDecidesMeaningOfM() throws {
    #expect(try Self.sexes(Self.sheet("Sex", ["M"])) == [.male])
    #expect(try Self.sexes(Self.sheet("Geschlecht", ["m"], weight: "Gewicht (kg)")) == [.male])
    #expect(
      SheetText.findings(Self.sheet("Sex", ["M"], weight: "Peso (kg)")).map(\.code) == [.sex])
    #expect(try Self.sexes(Self.sheet("Sexo", ["H", "M"])) == [.male, .female])
    #expect(try Self.sexes(Self.sheet("Sexo", ["F", "M"])) == [.female, .male])
  }

  @Test(arguments: [
    ("F", Sex.female), ("W", .female), ("H", .male), ("Frau", .female), ("muž", .male),
    ("male", .male),
    ("weiblich", .female),
  ])
  func consistentSexWordsAndLettersAreRead(_ word: String, _ sex: Sex) throws {
    #expect(try Self.sexes(Self.sheet("Sex", [word])) == [sex])
  }

  @Test(arguments: ["M/F", "Group", "m/w", "Male/Female", "Column 2"])
  func sexColumnIsRecognisedByItsValues(_ header: String) throws {
    #expect(try Self.sexes(Self.sheet(header, ["M", "F"])) == [.male, .female])
  }

  @Test func singleLetterUnderAnotherHeaderIsNoSex() throws {
    #expect(try SheetText.taken(Self.sheet("Group", ["M", "M"]))["Group"] == "covariate")
    #expect(try Self.sexes(Self.sheet("M/F", ["M", "M"])) == [.male, .male])
  }
}
