import AlcoholKinetics
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData
@testable import StudyFiles

/// Folders whose tables have headers of their own: what is asked of a workbook is asked of them.
@Suite struct FolderHeaderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("d")
  }

  private func write(_ subjects: String, _ drinks: String, _ readings: String) throws {
    try folder.write(subjects, to: "d/subjects.csv")
    try folder.write(drinks, to: "d/drinks.csv")
    try folder.write(readings, to: "d/readings.csv")
  }

  private func findings(map: String? = nil) throws -> [Diagnostic] {
    do {
      let map = try map.map { try ColumnMap($0) } ?? .empty
      return try StudyReader(sheet: folder("d"), map: map).study().allDiagnostics
    } catch let error as StudyError {
      return error.diagnostics
    }
  }

  @Test func foreignHeadersLeaveOnlyTheUnitOpen() throws {
    try write(
      "Versuchsperson,Geschlecht,Alter,Größe (cm),Gewicht (kg)\n1,m,30,180,80\n",
      "Versuchsperson,Zeit (min),Dosis (g)\n1,0,40\n",
      "Versuchsperson,Zeit (min),Blutalkohol\n1,30,0.5\n1,60,0.4\n")
    let asked = try findings()
    #expect(asked.map(\.code) == [.columnUnit])
    #expect(asked.first?.message == "the column \"Blutalkohol\" states no unit: 0.5, 0.4")
    #expect(try findings(map: "Versuchsperson=subject").map(\.code) == [.columnUnit])
    let study = try StudyReader(sheet: folder("d"), map: try ColumnMap("Blutalkohol=bac_g_per_kg"))
      .study()
    #expect(study.series.first?.readings.map(\.value) == [0.5, 0.4])
  }

  @Test func statementsApplyToAnyTableOfAFolder() throws {
    try write(
      "Study of 2026,,\nParticipant,Sex,Weight (kg)\n1,0,80\n2,1,60\n",
      "Study of 2026,,\nParticipant,Time (min),Ethanol (g)\n1,0,40\n2,0,30\n",
      "Study of 2026,,\nParticipant,Time (min),BAC (g/kg)\n1,60,0.5\n2,60,0.5\n")
    #expect(try findings().map(\.code) == [.sex])
    let study = try StudyReader(sheet: folder("d"), map: try ColumnMap("Sex=sex_0m1f")).study()
    #expect(study.series.map(\.subject.sex) == [.male, .female])
    #expect(try findings(map: "Sxe=sex_0m1f").first?.code == .columnMap)
    #expect(
      try findings(map: "Sexx=sex_0m1f").first?.message.contains("did you mean \"Sex\"?") == true)
  }

  @Test func missingSubjectColumnIsQueried() throws {
    try write(
      "Participant,Sex,Weight (kg)\n1,m,80\n", "Participant,Time (min),Ethanol (g)\n1,0,40\n",
      "Kürzel,Time (min),BAC (g/kg)\n1,60,0.5\n")
    let asked = try findings()
    #expect(asked.map(\.code) == [.columnMissing])
    #expect(asked.first?.location == SourceLocation(file: folder("d/readings.csv"), line: 1))
    #expect(asked.first?.statements == ["COLUMN=subject"])
    #expect(try findings(map: "Kürzel=subject").allSatisfy { $0.severity == .warning })
  }

  /// Tables with promille's own headers that lack a column are reported with its name.
  @Test func missingColumnOfAStudyTableIsNamed() throws {
    try write(
      "subject,sex\n1,m\n", "subject,ethanol_g\n1,40\n", "subject,time_min,bac_g_per_kg\n1,60,0.5\n"
    )
    let found = try findings().filter { $0.severity == .error }
    #expect(
      found.map(\.code) == [.columnMissing] && found.first?.message.contains("time_min") == true)
  }

  /// Statements about the tables that a folder was made from do not apply to its own.
  @Test func sourceColumnStatementsDoNotApplyToTheStudy() throws {
    try write(
      "subject,sex,weight_kg\n1,male,80\n", "subject,time_min,ethanol_g\n1,0,40\n",
      "subject,time_min,bac_g_per_kg\n1,60,0.5\n")
    try folder.write(
      "{\"promille\": {\"source_columns\": {\"ethanol_g\": \"ethanol_mg\", \"*\": [\"time_h\", \"brac_mg_per_l\"]}}}",
      to: "d/datapackage.json")
    let study = try StudyReader(sheet: folder("d")).study()
    #expect(study.series.first?.drinks.first?.ethanol == .mass(Grams(40)))
    #expect(!study.allDiagnostics.contains { $0.code == .descriptorKey })
    let answers = try ColumnMap(answersOf: folder("d"))
    #expect(answers.target(of: "ethanol_g") == "ethanol_mg")
    #expect(answers.ofWideColumns.map(\.name) == ["time_h", "brac_mg_per_l"])
    #expect(answers.findings(notAmong: [], in: "d").isEmpty)
  }
}
