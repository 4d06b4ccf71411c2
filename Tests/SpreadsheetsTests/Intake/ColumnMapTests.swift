import AlcoholKinetics
import Spreadsheets
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Statements about columns: their syntax, and the messages if they are wrong.
@Suite struct ColumnMapTests {
  private static func refusal(_ text: String) -> String {
    do {
      _ = try ColumnMap(text)
      return ""
    } catch {
      return error.description
    }
  }

  @Test(arguments: [
    ("Weight=weight_kgs", "\"Weight=weight_kgs\"", "Did you mean weight_kg?", "weight_lb"),
    ("A=subject,Result=breath,B=ignore", "\"Result=breath\"", "", "brac_mg_per_l"),
    ("Weight=kg", "\"Weight=kg\"", "Did you mean weight_kg?", "weight_st"),
    ("Mass=pounds", "\"Mass=pounds\"", "Did you mean weight_lb?", "weight_kg"),
    ("Sex=sex01", "\"Sex=sex01\"", "", "sex_0m1f"),
    ("Foo=bar", "\"Foo=bar\"", "", "subject, occasion"),
  ])
  func unknownNameSuggestsSimilarNames(
    _ text: String, _ entry: String, _ nearest: String, _ name: String
  ) {
    let told = Self.refusal(text)
    #expect(told.hasPrefix(entry), "\(told)")
    #expect(nearest.isEmpty || told.contains(nearest), "\(told)")
    #expect(told.contains(name) && told.hasSuffix("promille explain map lists all."), "\(told)")
  }

  @Test func suggestionsAreOfTheLikelyKind() {
    #expect(!Self.refusal("Weight=weight_kgs").contains("brac_mg_per_l"))
    #expect(!Self.refusal("Result=breath").contains("weight_lb"))
  }

  @Test func columnCannotHaveTwoMeanings() throws {
    #expect(
      Self.refusal("A=subject,a=sex") == "\"a\" is said to be subject and sex. Say one of them.")
    _ = try ColumnMap("A=subject,A=subject")
    // Of a wide table the times and the readings are two.
    let wide = try ColumnMap("*=time_h,*=brac_mg_per_l")
    #expect(wide.ofWideColumns.count == 2)
    let repeated = try ColumnMap("A=subject").merging(ColumnMap("A=sex"))
    #expect(throws: Problem.self) { try repeated.requireAgreement() }
  }

  @Test(arguments: [
    "Sex (1=male, 2=female)", "a=b", "Weight, kg", "Height (cm), without shoes", "x,y=z",
    "100 %=all", "*", "Größe",
  ])
  func headersMayHoldAnything(_ header: String) throws {
    let map = try ColumnMap("A=subject,\(header)=ignore,B=sex")
    #expect(map.target(of: header) == "ignore" && map.target(of: "B") == "sex")
  }

  @Test func headersIgnoreCaseAndWhitespace() throws {
    let map = try ColumnMap("Weight (kg)=weight_kg")
    for header in [
      "Weight\n(kg)", " weight  (KG) ", "Weight\u{A0}(kg)", "Weight\r\n(kg)", "Weight\u{200B} (kg)",
    ] {
      #expect(map.target(of: header) == "weight_kg", "\(header.debugDescription)")
    }
  }

  /// Long headers, as of a form, are asked about by their beginning.
  @Test func aHeaderMayBeItsBeginning() throws {
    let header = "What did the breathalyser in your hand show when you looked at it?"
    let sheet = """
      Participant|Sex|Weight (kg)|Time (min)|Ethanol (g)|\(header)
      1|m|80|0|40|
      1|m|80|60||0.25
      """
    let whole = try ColumnMap("\(header)=brac_mg_per_l")
    let cut = try ColumnMap("What did the breathalyser in your hand sho...=brac_mg_per_l")
    #expect(
      whole.target(of: header) == cut.target(of: header)
        && cut.target(of: "What did you drink?") == nil)
    #expect(try SheetText.study(sheet, map: cut.text).series.first?.readings.count == 1)
  }

  @Test func unknownHeaderSuggestsTheNearest() throws {
    let found = try ColumnMap("Wieght (kg)=weight_kg").findings(
      notAmong: ["Subject", "Weight (kg)"], in: "s")
    #expect(found.map(\.code) == [.columnMap])
    #expect(found.first?.message.contains("did you mean \"Weight (kg)\"?") == true)
  }

  // MARK: Answers of another study

  @Test func savedAnswersMayNameAbsentHeaders() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "{\"promille\": {\"columns\": {\"Result\": \"brac_mg_per_l\", \"Old\": \"ignore\"}}}",
      to: "datapackage.json")
    let answers = try ColumnMap(answersOf: folder("datapackage.json"))
    #expect(answers.findings(notAmong: ["Result"], in: "s").isEmpty)
    // What is said now counts more, whichever comes first.
    let said = try ColumnMap("Result=bac_g_per_kg")
    #expect(answers.merging(said).target(of: "Result") == "bac_g_per_kg")
    #expect(said.merging(answers).target(of: "Result") == "bac_g_per_kg")
    #expect(said.merging(answers).findings(notAmong: [], in: "s").count == 1)
  }

  @Test(arguments: [
    ("missing", nil, DiagnosticCode.noSuchStudy),
    ("study.sqlite", "SQLite format 3\u{0}", .fileFormat),
    ("broken.json", "{\"promille\": {\"columns\": ", .fileFormat),
    ("list.json", "[1, 2]", .fileFormat),
    ("odd.json", "{\"promille\": {\"columns\": {\"A\": 7}}}", .fileFormat),
    ("wrong.json", "{\"promille\": {\"source_columns\": {\"A\": \"weight_kgs\"}}}", .fileFormat),
    ("table.csv", "a,b\n1,2\n", .fileFormat),
  ])
  func fileWithoutAnswersIsRefused(_ name: String, _ text: String?, _ code: DiagnosticCode) throws {
    let folder = try TemporaryFolder()
    if let text { try folder.write(text, to: name) }
    let error = #expect(throws: StudyError.self) { try ColumnMap(answersOf: folder(name)) }
    #expect(error?.diagnostics.map(\.code) == [code])
  }

  @Test func folderWithoutDescriptorHasNoAnswers() throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: StudyError.self) { try ColumnMap(answersOf: folder.path) }
    #expect(error?.diagnostics.map(\.code) == [.fileMissing])
  }

  // MARK: Names

  @Test func everyColumnNameHasAMeaning() {
    #expect(Set(ColumnName.all.map(\.name)) == Set(ColumnMeaning.names))
    #expect(ColumnName.all.count == ColumnMeaning.names.count)
    #expect(
      Set(ColumnName.all.map(\.words)).count == ColumnName.all.count, "two names say the same")
    for name in ColumnName.all {
      #expect(!name.meaning.isEmpty && !name.words.contains("_"), "\(name)")
      #expect(name.name.count + name.words.count < 85, "\(name)")
    }
    #expect(ColumnName("bac_mg_per_100ml")?.words == "mg/100 ml of whole blood")
    #expect(ColumnName("brac_g_per_210l")?.words == "g/210 L of breath")
    #expect(ColumnName("weight_lb")?.words == "body weight, pounds")
    #expect(ColumnName("weight_lbs") == nil)
  }
}
