import Testing

@testable import Reporting

/// What is documented of columns is what is declared with them.
@Suite struct ResultCatalogueTests {
  /// A table, called by its name in the log of a test.
  struct Named: CustomTestStringConvertible {
    let table: TableDescription
    var testDescription: String { table.name }
  }

  private static let tables = ResultCatalogue.reports.commands.flatMap(\.tables).map(Named.init)

  @Test func namesAreSnakeCase() {
    for name in Self.tables.flatMap(\.table.columns).map(\.name) {
      #expect(name.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil, "\(name)")
    }
  }

  @Test(arguments: tables)
  func saysWhatEveryColumnIs(_ named: Named) {
    let table = named.table
    #expect(Set(table.columns.map(\.name)).count == table.columns.count)
    for column in table.columns {
      let isPlain = !column.meaning.isEmpty && !column.meaning.contains(/[|\t\n]/)
      #expect(isPlain, "\(column.name)")
      if let unit = column.unit, unit.hasPrefix("`") {
        #expect(table.columns.map { "`\($0.name)`" }.contains(unit), "\(column.name)")
      }
    }
  }

  /// A unit in a name is the unit that is documented.
  @Test func unitsAgreeWithNames() {
    let endings = [
      ("_g_per_kg_h", "g/kg/h"), ("_g_per_kg", "g/kg"), ("_min", "min"), ("_per_h", "1/h"),
      ("_pct", "%"), ("_cm", "cm"), ("_g_h_per_kg", "g h/kg"), ("_per_s", "1/s"),
    ]
    for column in Self.tables.flatMap(\.table.columns) where !column.name.hasPrefix("lre_") {
      guard let (_, unit) = endings.first(where: { column.name.hasSuffix($0.0) }) else { continue }
      #expect(column.unit == unit, "\(column.name)")
    }
  }

  @Test func takesWhatAColumnHoldsFromItsType() {
    enum Light: String, CaseIterable, ColumnValue { case red, green }
    func described<Value: ColumnValue>(_ value: Value) -> ColumnDescription? {
      Column<Void>("a", in: "g", "what it is") { value }.description
    }
    #expect(described("a")?.kind == .text)
    #expect(described(1)?.kind == .count)
    #expect(described(Double?.none)?.kind == .number)
    #expect(described(true)?.kind == .oneOf(["yes", "no"]))
    #expect(described(Light.red)?.kind == .oneOf(["red", "green"]))
    #expect(described(Codes(["W_A"]))?.kind == .codes)
    #expect(described(1.5)?.canBeMissing == false)
    #expect(described(Int?.some(1))?.canBeMissing == true)
    #expect(described(1.5)?.unit == "g")
    #expect(Column<Void>(forPeople: "a") { 1 }.description == nil)
  }

  @Test func explainsColumnsAndSuggestsThem() throws {
    let catalogue = ResultCatalogue.reports
    let text = try #require(catalogue.explanation(of: "BETA_g_per_kg_h"))
    #expect(text.hasPrefix("beta_g_per_kg_h (column)\n  elimination rate beta, estimated or fixed"))
    #expect(text.contains("[number or empty, in\n  g/kg/h]"))
    #expect(text.contains("Tables: fits (promille fit)"))
    let detail = try #require(catalogue.explanation(of: "shapiro_p"))
    #expect(detail.contains("[number or empty, with"))
    #expect(catalogue.explanation(of: "W_AT_BOUND") == nil)
    #expect(catalogue.explanation(of: "") == nil)
    #expect(catalogue.similar(to: "beta_identifiabel") == "beta_identifiable")
    #expect(catalogue.similar(to: "W_AT_BOUNDARY") == "W_AT_BOUND")
    #expect(catalogue.similar(to: "beta_g") == "beta_g_per_kg_h")
    #expect(catalogue.similar(to: "e_beta") == "W_BETA_RANGE")
    #expect(catalogue.similar(to: "") == nil)
  }
}
