import Foundation
import StudySupport
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData
@testable import StudyFiles

@Suite struct WorkbookTests {
  static let fixtures = ["openpyxl.xlsx", "xlsxwriter.xlsx", "by-hand.xlsx"]

  static func path(_ name: String) -> String {
    PackageFolder.root.appending(path: "Tests/Expectations/workbooks/\(name)").path
  }

  // MARK: What is read

  /// Kind and text of every cell, as openpyxl reads them (Tests/Tools/workbooks.py).
  @Test(arguments: fixtures) func cellsAgreeWithOpenpyxl(_ name: String) throws {
    let expected = try PackageFolder.expectations("workbooks").filter { $0["workbook"] == name }
      .map { [$0["sheet"], $0["cell"], $0["kind"], $0["text"]].map { $0 ?? "" } }
    #expect(!expected.isEmpty)
    var found: [[String]] = []
    for sheet in try Workbook(InputFile.existing(Self.path(name))).sheets {
      for (row, cells) in sheet.rows.enumerated() {
        for (column, cell) in cells.enumerated() where cell != .empty && cell != .unknown {
          let place = Sheet.cellName(row: row, column: column)
          found.append([sheet.name, place, cell.kind, sheet.textRows[row][column]])
        }
      }
    }
    #expect(found == expected)
  }

  @Test func namesHiddenSheetsAndDoubtfulCells() throws {
    let sheets = try Workbook(InputFile.existing(Self.path("openpyxl.xlsx"))).sheets
    #expect(sheets.map(\.isHidden) == [false, false, true])
    let finding = try #require(sheets[1].findings.first)
    #expect(finding.code == .cellValue)
    #expect(finding.message == "cell E6 holds a formula without its result")
    // It is no empty cell: there is a value, and it is not known.
    #expect(sheets[1].rows[5][4] == .unknown && sheets[1].textRows[5][4] == "#N/A")
    #expect("\(finding.location)".hasSuffix("openpyxl.xlsx[Readings & drinks]:6:5"))
    #expect(finding.location == SourceLocation(file: sheets[1].place, line: 6, column: 5))
    let error = try #require(
      Workbook(InputFile.existing(Self.path("xlsxwriter.xlsx"))).sheets[0].findings.first)
    #expect(error.message == "cell E4 holds the error \"#DIV/0!\"")
  }

  @Test func rowsHaveOneTextPerCell() throws {
    let rows = try Workbook(InputFile.existing(Self.path("openpyxl.xlsx"))).sheets[1].textRows
    #expect(rows[0].isEmpty)
    #expect(rows[2] == ["", "clock", "when", "since"])
    #expect(rows.count == 7 && rows[6].count == 28)
  }

  // MARK: What is not

  static let otherFiles: [(name: String, bytes: [UInt8], says: String)] = [
    ("empty", [], "is empty"),
    ("text", Array("subject,sex\n".utf8), "no workbook"),
    ("page", Array("<html><table>".utf8), "HTML or XML"),
    ("old", [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], ".xls"),
    (
      "encrypted",
      [0xD0, 0xCF, 0x11, 0xE0] + "EncryptedPackage".utf8.flatMap { [$0, 0] as [UInt8] }, "encrypted"
    ),
    ("cut", Array("PK\u{3}\u{4} and so on".utf8), "damaged or incomplete"),
    ("ods", Zip(["content.xml": "<x/>"]).bytes, ".ods"),
    ("binary", Zip(["xl/workbook.bin": "x"]).bytes, ".xlsb"),
    ("document", Zip(["word/document.xml": "<x/>"]).bytes, "Word"),
    ("archive", Zip(["study/readings.csv": "x"]).bytes, "no workbook"),
    ("noSheet", Zip(["xl/workbook.xml": "<workbook/>"]).bytes, "no sheet"),
    ("noXML", Zip(["xl/workbook.xml": "<workbook>"]).bytes, "xl/workbook.xml is damaged at line 1"),
    (
      "doctype", Zip(["xl/workbook.xml": "<!DOCTYPE x [<!ENTITY a 'b'>]><x/>"]).bytes,
      "document type"
    ),
    ("locked", Zip(["xl/workbook.xml": "<x/>"], flags: 1).bytes, "encrypted"),
    ("method", Zip(["xl/workbook.xml": "<x/>"], method: 12).bytes, "method"),
    ("checksum", Zip(["xl/workbook.xml": "<x/>"], checksumError: 1).bytes, "damaged"),
    ("lacking", Zip.workbook(sheet: nil).bytes, "lacks its part \"xl/s.xml\""),
    ("far", Zip.workbook(sheet: row("<c r='A1' t='s'><v>7</v></c>")).bytes, "does not have"),
    ("row", Zip.workbook(sheet: "<row r='1048577'><c><v>1</v></c></row>").bytes, "no sheet has"),
    (
      "nested", Zip.workbook(sheet: row("<c r='A1'><v>1</v><row r='2'/></c>")).bytes, "no sheet has"
    ),
    ("column", Zip.workbook(sheet: row("<c r='XFE1'><v>1</v></c>")).bytes, "no sheet has"),
    (
      "deep",
      Zip.workbook(sheet: "<row r='1048576'><c><v>1</v></c></row>", count: 9).bytes,
      "more than 8388608 cells"
    ),
    (
      "wide",
      Zip.workbook(
        sheet: (1...600).map { "<row r='\($0)'><c r='XFD1'><v>1</v></c></row>" }
          .joined()
      ).bytes, "more than 8388608 cells"
    ),
  ]

  private static func row(_ cells: String) -> String { "<row>\(cells)</row>" }

  @Test(arguments: otherFiles)
  func otherFilesAreReported(name: String, bytes: [UInt8], says: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(Data(bytes), to: "x.xlsx")
    let error = try #require(throws: StudyError.self) {
      try Workbook(InputFile.existing(folder("x.xlsx")))
    }
    #expect(error.diagnostics.map(\.code) == [.fileFormat])
    #expect(error.diagnostics[0].message.contains(says), "\(error.diagnostics[0])")
    #expect(!error.diagnostics[0].remedy.isEmpty)
  }

  @Test func missingWorkbookIsReported() throws {
    let error = try #require(throws: StudyError.self) {
      try Workbook(InputFile.existing("/none.xlsx"))
    }
    #expect(error.kind == .noInput)
  }

  /// 40 MB of blanks, packed into 40 kB.
  @Test func zipBombsAreNotUnpacked() throws {
    let bytes = try Zip.packedBlanks(40 << 20)
    #expect(bytes.count < 100_000)
    #expect(throws: WorkbookProblem.self) { try Workbook.sheets(in: bytes, path: "x") }
  }

  // MARK: Damage

  @Test(arguments: 0..<4) func damagedCopiesAreReadOrRefused(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    for name in Self.fixtures {
      let whole = [UInt8](try Data(contentsOf: URL(filePath: Self.path(name))))
      for _ in 0..<150 {
        var bytes = whole
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
            in: 0...255, using: &generator)
        }
        if Bool.random(using: &generator) {
          bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
        }
        _ = try? Workbook.sheets(in: bytes, path: "x")
      }
    }
  }

  /// Checksums catch nearly all damage to archives; here they fit, and the damage reaches the cells.
  @Test(arguments: 0..<4) func damagedPartsAreReadOrRefused(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let cells = Array(
      "<row r='2'><c r='B2' s='1' t='n'><f>A1</f><v>45000.5</v></c><c t='inlineStr'><is><t>_x0041_</t></is></c></row>"
        .utf8)
    for _ in 0..<1000 {
      var bytes = cells
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        Spoiling.mutate(&bytes, using: &generator)
        if !bytes.isEmpty {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
            in: 0...255, using: &generator)
        }
      }
      for sheet in (try? Workbook.sheets(in: Zip.workbook(sheetBytes: bytes).bytes, path: "x"))
        ?? []
      {
        _ = sheet.textRows
      }
    }
  }
}

extension SheetCell {
  fileprivate var kind: String {
    switch self {
    case .empty: "empty"
    case .text: "text"
    case .number: "number"
    case .percentage: "percentage"
    case .boolean: "boolean"
    case .date: "date"
    case .error: "error"
    case .unknown: "unknown"
    }
  }
}
