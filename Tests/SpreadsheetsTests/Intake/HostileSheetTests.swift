import AlcoholKinetics
import Foundation
import StudySupport
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData
@testable import StudyFiles

/// Sheets that nobody meant well with: read or refused with a code, never a crash, and soon.
@Suite struct HostileSheetTests {
  @Test(arguments: [
    "", "|", "ID", "ID|Time", "|||\n|||", "ID|BAC (g/kg)|Ethanol (g)", "ID|ID|ID\n1|2|3",
    "Name|Name",
    "ID|Time (min)|Ethanol (g)|BAC (g/kg)", "ID|0|30|60\n1|a|b|c",
    "ID|(kg)|[|]|()|Weight (|) Weight\n1|2|3|4|5|6|7", "ID|Time|Ethanol (g)|BAC (g/kg)\n|||",
    "ID|Date|Time|Ethanol (g)|BAC (g/kg)\n1|99/99/9999|99:99|1e999|-nan",
    "ID|DateTime|Ethanol (g)|BAC (g/kg)\n1|9999999999999999|30|\n1|-1|30|\n1|1e300|30|",
    "ID|0 min|1e309|NaN min|30\n1|0|0|0|0", "ID|\u{202E}Weight (kg)|\u{0}|Time (min)\n1|2|3|4",
    "ID|Dose (g)|0:00|25:00|12:00|1:00\n1|5|0|0|0|0",
  ])
  func hostileSheetsAreReadOrRefused(_ text: String) {
    do throws(StudyError) {
      let sheet = try SheetStudy([SheetText.table(text)], path: "sheet")
      if let sheet { _ = try sheet.folder.study() }
    } catch {
      #expect(!error.diagnostics.isEmpty)
    }
  }

  @Test func randomCellsAreReadOrRefused() {
    let words = [
      "ID", "Name", "Time", "Time (min)", "Date", "DateTime", "Weight", "Weight (lb)", "Height",
      "Sex", "BAC",
      "BAC (g/kg)", "BrAC (mg/L)", "Dose (g)", "Drink time", "Volume (ml)", "ABV", "0 min", "30",
      "19:30", "",
      "1", "2", "0.5", "m", "f", "21.11.2026", "11/12/2026", "46347.5", "5'7\"", "<0.1", "70 kg",
      "Beer", "x",
      "Occasion", "Exclude", "LOD", "1e400", "-5", "é", "👩‍🔬", "=1+1", "#N/A",
    ]
    for seed in 0..<400 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let width = Int.random(in: 1...9, using: &generator)
      let lines = (0...Int.random(in: 0...8, using: &generator)).map { line in
        (0..<width + Int.random(in: 0...1, using: &generator)).map { column in
          line == 0 && column == 0 ? "ID" : words.randomElement(using: &generator) ?? ""
        }.joined(separator: "|")
      }
      hostileSheetsAreReadOrRefused(lines.joined(separator: "\n"))
    }
  }

  @Test func manyColumnsTakeTimeInProportion() throws {
    func seconds(_ count: Int) throws -> Double {
      let names = (0..<count).map { "c\($0)" }.joined(separator: "|")
      let cells = String(repeating: "x|", count: count - 2)
      let times = String(repeating: "Time|", count: count)
      let zeros = String(repeating: "0|", count: count)
      let numbers = (0..<count).map { "\($0)" }.joined(separator: "|")
      let start = threadSeconds
      let sheet = "ID|Time (min)|Ethanol (g)|BAC (g/kg)|\(names)\n1|0|30|||\(cells)"
      #expect(try SheetText.study(sheet).series.count == 1)
      hostileSheetsAreReadOrRefused("ID|\(times)\n1|\(zeros)")
      hostileSheetsAreReadOrRefused("ID|\(numbers)\n1|0|0")
      return threadSeconds - start
    }
    // Sixteen times as long, or more, if anything were quadratic.
    #expect(try seconds(12_000) < 8 * seconds(3000))
  }

  /// Tables with the headers of a study or of events are not read as sheets.
  @Test func studyFilesAreNotReadAsSheets() throws {
    let folder = try TemporaryFolder()
    let names = [
      "subject,sex,age_y,height_cm,weight_kg\n", "subject,time_min,ethanol_g\n", "ID,TIME,AMT,DV\n",
    ]
    for text in names {
      try folder.write(text, to: "x.csv")
      let reader = try StudyReader(sheet: folder("x.csv"))
      #expect(reader.taken.isEmpty && reader.form == .table)
    }
    try folder.write(StudySample())
    let reader = try StudyReader(sheet: folder.path)
    #expect(reader.taken.isEmpty)
    #expect(try reader.study().series.count == 1)
  }

  @Test func foldersMayHaveOtherHeaders() throws {
    let folder = try TemporaryFolder()
    try folder.write("Participant;Gender;Weight (lb)\nann;w;132,28\n", to: "subjects.csv")
    try folder.write("Participant;Time;Ethanol (g)\nann;22:00;40\n", to: "drinks.csv")
    try folder.write(
      "Participant;Time;BrAC (mg/L)\nann;23:00;0,25\nann;00:30;0,2\n", to: "readings.csv")
    let reader = try StudyReader(sheet: folder.path)
    #expect(reader.taken.count == 9, "\(reader.taken)")
    let series = try reader.study().series
    #expect(series[0].readings.map(\.time.minutes) == [60, 150])
    #expect(abs((series[0].subject.weight?.value ?? 0) - 60) < 0.01)
    // What the headers do not say, the descriptor may.
    try folder.write("Participant,Reading,Time\nann,0.25,23:00\n", to: "readings.csv")
    #expect(throws: StudyError.self) { try StudyReader(sheet: folder.path).study() }
    try folder.write(
      #"{"promille": {"columns": {"Reading": "brac_mg_per_l"}}}"#, to: "datapackage.json")
    let described = try StudyReader(sheet: folder.path).study().series[0]
    #expect(described.readings.map(\.time.minutes) == [60])
    try folder.write(#"{"promille": {"columns": {"Reading": "breath"}}}"#, to: "datapackage.json")
    #expect(throws: StudyError.self) { try StudyReader(sheet: folder.path).study() }
  }

  /// A statement alone does not make a sheet of a study folder: only the name of the column changes.
  @Test func aStatementRenamesAColumnOfAStudyFolder() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      StudySample(
        subjects: "subject,sex,age_y,height_cm,Masse\nann,female,30,165,60\n",
        readings: "subject,time_min,bac_g_per_kg,Device\nann,30,0.5,x\nann,60,0.4,x\n"))
    let map = try ColumnMap("Masse=weight_kg,Device=ignore")
    let study = try StudyReader(sheet: folder.path, map: map).study()
    #expect(study.allDiagnostics.isEmpty && study.series[0].subject.weight == 60)
    let wrong = try ColumnMap("Mass=weight_kg")
    #expect(throws: StudyError.self) { try StudyReader(sheet: folder.path, map: wrong) }
  }

  /// The title has no separator from which it could be told.
  @Test func aTitleMayStandOverTheTable() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "Study of Friday\nID;Weight (kg);Time (min);Ethanol (g);BAC (g/kg)\na;60,5;0;40;\na;60,5;60;;0,5\n",
      to: "x.csv")
    let series = try StudyReader(sheet: folder("x.csv")).study().series
    #expect(series.count == 1 && series[0].subject.weight == 60.5)
  }

  @Test func digestIsOfTheSheetFile() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "ID,Weight (kg),Time (min),Ethanol (g),BAC (g/kg)\na,60,0,40,\na,60,60,,0.5\n", to: "x.csv")
    let inputs = try StudyReader(sheet: folder("x.csv")).study().inputs
    let bytes = try Data(contentsOf: URL(filePath: folder("x.csv")))
    #expect(inputs.map(\.file) == [folder("x.csv")])
    #expect(inputs.map(\.sha256) == [bytes.withUnsafeBytes(SHA256.hexDigest)])
  }
}
