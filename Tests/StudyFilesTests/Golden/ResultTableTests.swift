import Foundation
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

@Suite struct ResultTableTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func table(_ text: String, key: [String] = ["a"]) throws -> ResultTable {
    try folder.write(text, to: "t.csv")
    return try ResultTable(readingFrom: folder("t.csv"), key: key)
  }

  @Test func textsAreReadUnchanged() throws {
    let read = try table("a,b\n1,\"x, \"\"y\"\"\"\n.,\nNA,007\n")
    #expect(read.columns == ["a", "b"])
    #expect(read.rows == [["1", "x, \"y\""], [".", ""], ["NA", "007"]])
  }

  @Test func tableMayHaveNoRows() throws {
    #expect(try table("a\n").rows.isEmpty)
  }

  @Test func tableWithoutKeyMayRepeatRows() throws {
    #expect(try table("a\n1\n1\n", key: []).rows.count == 2)
  }

  static let faults: [(String, DiagnosticCode, Int?)] = [
    ("", .emptyFile, nil),
    ("b\n1\n", .columnMissing, 1),
    ("a,a\n1,2\n", .columnAmbiguous, 1),
    ("a,b\n1\n", .csv, 2),
    ("a,b\n1,2\n3,4\n1,5\n", .duplicate, 4),
    ("a,b\n\"1,2\n", .csv, 2),
    ("a\u{0}\n", .encoding, 1),
  ]

  @Test(arguments: faults)
  func invalidTablesAreReportedWithLine(text: String, code: DiagnosticCode, line: Int?) throws {
    let error = try #require(throws: StudyError.self) { try table(text) }
    #expect(error.kind == .badData)
    #expect(error.diagnostics.map(\.code) == [code])
    #expect(error.diagnostics.map(\.location.line) == [line])
  }

  @Test func missingTableIsReported() throws {
    let error = try #require(throws: StudyError.self) {
      try ResultTable(readingFrom: folder("none.csv"), key: [])
    }
    #expect(error.kind == .noInput)
    #expect(error.diagnostics.map(\.code) == [.fileMissing])
  }
}
