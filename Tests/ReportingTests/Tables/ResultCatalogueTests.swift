import Testing

@testable import Reporting

/// The catalogue of columns has the form that its readers rely on.
@Suite struct ResultCatalogueTests {
  private static let tables = Dictionary(grouping: ResultCatalogue.entries) {
    [$0.command, $0.table]
  }

  @Test func namesAreSnakeCase() {
    for name in ResultCatalogue.columnNames {
      #expect(name.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil, "\(name)")
    }
  }

  @Test(arguments: tables.keys)
  func everyColumnHasUnitAndMeaning(_ table: [String]) throws {
    let entries = try #require(Self.tables[table])
    let names = entries.map(\.column)
    #expect(names.first == "" && Set(names).count == names.count)
    for entry in entries {
      let (unit, meaning) = (entry.facts.unit, entry.facts.meaning)
      let isPlain = !meaning.isEmpty && (entry.column.isEmpty || !meaning.contains("|"))
      #expect(isPlain, "\(entry.column)")
      if unit.hasPrefix("`") { #expect(names.map { "`\($0)`" }.contains(unit), "\(entry.column)") }
    }
  }

  /// A unit in a name is the unit that is documented.
  @Test func unitsAgreeWithNames() {
    let endings = [
      ("_g_per_kg_h", "g/kg/h"), ("_g_per_kg", "g/kg"), ("_min", "min"), ("_per_h", "1/h"),
      ("_pct", "%"), ("_cm", "cm"), ("_g_h_per_kg", "g h/kg"), ("_per_s", "1/s"),
      ("_g_per_l", "g/L"),
    ]
    for entry in ResultCatalogue.entries where !entry.column.hasPrefix("lre_") {
      guard let (_, unit) = endings.first(where: { entry.column.hasSuffix($0.0) }) else { continue }
      #expect(entry.facts.unit == unit, "\(entry.column)")
    }
  }

  @Test func columnKindFollowsItsType() {
    enum Light: String, CaseIterable, ColumnValue { case red, green }
    func declared<Value: ColumnValue>(_ value: Value) -> Column<Void> { Column("a") { value } }
    #expect(declared("a").kind == .text)
    #expect(declared(1).kind == .count)
    #expect(declared(Double?.none).kind == .number)
    #expect(declared(true).kind == .oneOf(["yes", "no"]))
    #expect(declared(Light.red).kind == .oneOf(["red", "green"]))
    #expect(declared(Codes(["W_A"])).kind == .codes)
    #expect(declared(1.5).canBeMissing == false)
    #expect(declared(Int?.some(1)).canBeMissing == true)
    #expect(Column<Void>(forPeople: "a") { 1 }.name == nil)
  }

  @Test func explainsColumnsAndSuggestsThem() throws {
    let catalogue = ResultCatalogue.self
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
