import TestSupport
import Testing

@testable import Reporting

@Suite struct TableCSVTests {
  private func csv(_ cells: [Cell]) -> String {
    Table([Column<Cell>("value") { $0 }, Column<Cell>("next") { _ in 1 }], rows: cells)
      .csv
  }

  private func line(_ cell: Cell) -> String {
    String(csv([cell]).dropFirst("value,next\n".count))
  }

  @Test func beginsWithTheNames() {
    #expect(csv([]) == "value,next\n")
  }

  @Test(arguments: [
    ("plain", "plain,1\n"), ("a,b", "\"a,b\",1\n"), ("say \"so\"", "\"say \"\"so\"\"\",1\n"),
    ("two\nlines", "\"two\nlines\",1\n"), ("re\rturn", "\"re\rturn\",1\n"),
    ("both\r\n", "\"both\r\n\",1\n"), ("\"", "\"\"\"\",1\n"), (" blanks ", " blanks ,1\n"),
    ("semi;colon", "semi;colon,1\n"), ("Ångström", "Ångström,1\n"), ("", ",1\n"),
  ])
  func quotesSpecialCharacters(text: String, expected: String) {
    #expect(line(.text(text)) == expected)
  }

  /// Together with a mark that combines, a quote is one character and yet a quote.
  @Test(arguments: ["x\"\u{301}y", "\"\u{200D}", "a,\u{301}b", "\n\u{308}", "\r\n\u{308}"])
  func quotesBelowCombiningMarks(text: String) throws {
    let records = try CSVText.records(csv([.text(text)]))
    #expect(Array(records[1][0].unicodeScalars) == Array(text.unicodeScalars))
    #expect(records[1].count == 2)
  }

  @Test func missingCellsAreEmpty() {
    #expect(line(.missing) == ",1\n")
    #expect(line(.number(.nan)) == ",1\n")
  }

  @Test func textsAreReadBack() throws {
    var random = SeededGenerator(seed: 4)
    let alphabet = ["a", "\"", ",", "\n", "\r", "\u{301}", " ", "é", "\u{1F469}", "\0", ";", "1"]
    let texts = (0..<500).map { _ in
      (0..<Int.random(in: 0...6, using: &random))
        .map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
    }
    let records = try CSVText.records(csv(texts.map(Cell.text)))
    #expect(records.count == 501)
    for (record, text) in zip(records.dropFirst(), texts) {
      #expect(record.count == 2)
      #expect(Array(record[0].utf8) == Array(text.utf8))
    }
  }

  @Test func numbersAreReadBackBitForBit() throws {
    var random = SeededGenerator(seed: 1)
    let numbers = (0..<5000).map { _ in random.nextFinite() }
    let records = try CSVText.records(csv(numbers.map(Cell.number)))
    let back = records.dropFirst().map { Double($0[0])?.bitPattern }
    #expect(back == numbers.map(\.bitPattern))
  }

  @Test func leavesOutColumnsForPeople() {
    let columns = [
      Column<Int>("a") { $0 }, Column<Int>(forPeople: "b") { $0 },
      Column<Int>("c", heading: "C") { $0 },
    ]
    #expect(Table(columns, rows: [1, 2]).csv == "a,c\n1,1\n2,2\n")
  }
}
