import Testing

@testable import Reporting

@Suite struct TableTextTests {
  private struct Row {
    var name: String?
    var value: Double?
    var count: Int?
  }

  private static let name = Column<Row>("name", heading: "name") { $0.name }
  private static let value = Column<Row>("value_g", heading: "g", style: .decimals(2)) {
    $0.value
  }
  private static let count = Column<Row>("n", heading: "number") { $0.count }

  private func text(_ rows: [Row], _ columns: [Column<Row>] = [name, value, count]) -> String {
    Table(columns, rows: rows).text
  }

  @Test func alignsWordsLeftAndNumbersRight() {
    let rows = [
      Row(name: "a", value: 1, count: 12_345_678), Row(name: "longer", value: -10.126, count: 1),
    ]
    #expect(
      text(rows) == """
        name         g    number
        ------  ------  --------
        a         1.00  12345678
        longer  -10.13         1

        """)
  }

  @Test func missingCellsAreMarked() {
    let rows = [Row(name: nil, value: 1, count: nil), Row(name: "b", value: .nan, count: 2)]
    #expect(
      text(rows) == """
        name     g  number
        ----  ----  ------
        -     1.00       -
        b        -       2

        """)
  }

  @Test func emptyColumnsAreLeftOut() {
    let rows = [Row(name: "a", count: 1), Row(name: "b", value: .infinity, count: 2)]
    #expect(text(rows) == "name  number\n----  ------\na          1\nb          2\n")
  }

  @Test func keepsAllColumnsWithoutRows() {
    #expect(text([]) == "name  g  number\n----  -  ------\n")
  }

  @Test func leavesOutColumnsWithoutHeading() {
    let hidden = Column<Row>("hidden") { $0.count }
    let shown = text([Row(name: "a", value: 1, count: 2)], [Self.name, hidden])
    #expect(shown == "name\n----\na\n")
  }

  @Test func columnsForPeopleAreInTextOnly() {
    let range = Column<Row>(forPeople: "from-to") { _ in "1-2" }
    let table = Table([Self.name, range], rows: [Row(name: "a")])
    #expect(table.text == "name  from-to\n----  -------\na     1-2\n")
    #expect(table.csv == "name\na\n")
  }

  @Test func endsNoLineInSpaces() {
    let rows = [Row(name: "a"), Row(name: "much longer")]
    let lines = text(rows, [Self.name]).split(separator: "\n")
    #expect(lines == ["name", "-----------", "a", "much longer"])
  }

  /// A character is one place wide, however many bytes and scalars it takes.
  @Test func countsCharactersNotBytes() {
    let rows = [
      Row(name: "Ångström", count: 1), Row(name: "e\u{301}é\u{1F469}\u{200D}\u{1F467}", count: 2),
    ]
    let lines = text(rows, [Self.name, Self.count]).split(separator: "\n")
    #expect(lines.map(\.count) == [16, 16, 16, 16])
    #expect(lines[3].hasPrefix("e\u{301}é\u{1F469}\u{200D}\u{1F467}       "))
  }

  /// Texts from a study's files neither break a row nor reach the terminal as a command.
  @Test(arguments: HostileNames.all)
  func keepsRowsOnOneLineAndFreeOfControlCharacters(name: String) {
    let shown = text([Row(name: name, count: 1)], [Self.name, Self.count])
    #expect(shown.unicodeScalars.filter { $0 == "\n" }.count == 3)
    #expect(HostileNames.isHarmless(shown))
  }

  @Test func tableWithoutHeadingsOrRowsIsNotForPeople() {
    let hidden = Column<Row>("hidden") { $0.count }
    #expect(Table([Self.name], rows: [Row(name: "a")]).isForPeople)
    #expect(!Table([Self.name], rows: [Row]()).isForPeople)
    #expect(!Table([hidden], rows: [Row(name: "a")]).isForPeople)
  }
}
