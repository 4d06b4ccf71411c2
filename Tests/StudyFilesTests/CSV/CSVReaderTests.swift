import Foundation
import Testing

@testable import StudyData
@testable import StudyFiles

@Suite struct CSVReaderTests {
  /// An event of reading a text: a row, or a problem with its place.
  enum Event: Equatable {
    case row([String])
    case problem(FileProblem, line: Int, column: Int)
  }

  @Test(arguments: [
    ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
    ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
    ("a,b\n1,2", [["a", "b"], ["1", "2"]]),
    ("a,b\n1,", [["a", "b"], ["1", ""]]),
    ("a,b\r\n1,2\r", [["a", "b"], ["1", "2"]]),
    ("\n\na,b\n \t\n\r\n,\n1,2\n\n", [["a", "b"], ["1", "2"]]),
    (" a ,\tb\n", [["a", "b"]]),
    ("\"a\",\"b,c\"\n\"1\n2\",\"3\r\n4\"\n", [["a", "b,c"], ["1\n2", "3\r\n4"]]),
    ("\"say \"\"hi\"\"\",\"\"\"\"\n", [["say \"hi\"", "\""]]),
    ("\"\"\n", [[""]]),
    ("a long first field, and a second one\n", [["a long first field", "and a second one"]]),
    ("gr\u{FC}n,\u{1F377}\n", [["gr\u{FC}n", "\u{1F377}"]]),
    ("", []),
  ])
  func readsRows(text: String, rows: [[String]]) {
    #expect(Self.events(text) == rows.map(Event.row))
  }

  @Test(arguments: [
    ("a;b,c\n", CSVSeparator.semicolon, ["a", "b,c"]),
    ("a\tb\n", CSVSeparator.tab, ["a", "b"]),
    ("a\t\"b\tc\"\td", CSVSeparator.tab, ["a", "b\tc", "d"]),
  ])
  func fieldsAreSplitAtTheGivenSeparator(text: String, separator: CSVSeparator, row: [String]) {
    #expect(Self.events(text, separator: separator) == [.row(row)])
  }

  @Test(arguments: [
    ("\"a\nb,c\n", [Event.problem(.unterminatedQuote, line: 1, column: 1)]),
    (
      "x\n\"a\"b,c\ny\n", [.row(["x"]), .problem(.textAfterQuote, line: 2, column: 4), .row(["y"])]
    ),
    ("x\na\"b\"\ny\n", [.row(["x"]), .problem(.strayQuote, line: 2, column: 2), .row(["y"])]),
    ("x, \"y\"\n", [.problem(.strayQuote, line: 1, column: 4)]),
    ("a\rb\nc\n", [.problem(.loneCarriageReturn, line: 1, column: 2), .row(["c"])]),
    ("\"a\"\rb\nc\n", [.problem(.loneCarriageReturn, line: 1, column: 4), .row(["c"])]),
    ("\"a\nb\"c\nd\n", [.problem(.textAfterQuote, line: 2, column: 3), .row(["d"])]),
  ])
  func readingContinuesAfterProblems(text: String, events: [Event]) {
    #expect(Self.events(text) == events)
  }

  @Test func placesCountLinesInQuotesAndCharacters() throws {
    let text = "\u{FC}\u{FC},b\n\n\"1\n2\n\u{20AC}\", 3,\"4\"\n5,6,7\n"
    let places = Self.places(text)
    let expected = [(1, 1), (1, 4), (3, 1), (5, 4), (5, 7), (6, 1), (6, 3), (6, 5)]
    #expect(places == expected.map { Place(line: $0.0, column: $0.1) })
  }

  private static func places(_ text: String) -> [Place] {
    let table = table(text)
    var places: [Place] = []
    while (try? table.nextRecord()) == true {
      places += (0..<table.row.count).map { table.row.place(of: $0) }
    }
    return places
  }

  private static func table(_ text: String, separator: CSVSeparator = .comma) -> CSVTable {
    CSVTable(InputFile(path: "test", bytes: Data(text.utf8)), separator: separator)
  }

  private static func events(_ text: String, separator: CSVSeparator = .comma) -> [Event] {
    let table = table(text, separator: separator)
    var events: [Event] = []
    while true {
      do throws(CSVProblem) {
        guard try table.nextRecord() else { return events }
        events.append(.row((0..<table.row.count).map(table.row.text)))
      } catch {
        let place = error.place
        events.append(.problem(error.kind, line: place.line, column: place.column))
      }
    }
  }
}
