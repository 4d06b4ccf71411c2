package import Foundation

/// The committed list of the columns of all results, and what is wrong with documents by it.
package struct ColumnList {
  package static let file = PackageFolder.root.appending(path: "Documentation/columns.tsv")

  /// The names of the fields of a line; one without a column is about the table.
  package static let fields = ["command", "table", "column", "unit", "type", "option", "meaning"]

  /// A column of a table.
  package struct Column {
    package let name: String
    let type: String
    /// The option that rows have it with; empty for none.
    package let option: String
  }

  /// A line that has other fields.
  package struct Uneven: Error {
    package let line: String
  }

  private let commands: [String: [String: [Column]]]

  /// Reads the list.
  package init() throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    var commands: [String: [String: [Column]]] = [:]
    for line in text.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == Self.fields.count else { throw Uneven(line: String(line)) }
      let column = Column(name: fields[2], type: fields[4], option: fields[5])
      commands[fields[0], default: [:]][fields[1], default: []] +=
        column.name.isEmpty ? [] : [column]
    }
    self.commands = commands
  }

  /// The columns of a table, in order; none if there is no such table.
  package func columns(of table: String, _ command: String) -> [Column] {
    commands[command]?[table] ?? []
  }

  /// The errors in a JSON document that a command prints, each with its place; empty if its tables are the command's,
  /// with their columns and values of their types.
  package func problems(with text: String) throws -> [String] {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    guard var document = value as? [String: Any],
      let provenance = document.removeValue(forKey: "provenance") as? [String: Any],
      let command = provenance["command"] as? String, let tables = commands[command]
    else { return ["no document of a command"] }
    let version = document.removeValue(forKey: "schema_version") as? Int
    guard ["answer", "text"].allSatisfy({ document.removeValue(forKey: $0) != nil }) else {
      return ["no answer, or no text"]
    }
    return (version == 1 ? [] : ["another schema_version"]) + problems(with: provenance)
      + document.sorted { $0.key < $1.key }.flatMap { name, rows in
        guard let columns = tables[name] else { return ["\(command) has no table \(name)"] }
        guard let rows = rows as? [[String: Any]] else { return ["\(name) is no table"] }
        return rows.enumerated().flatMap { index, row in
          problems(with: row, columns).map { "\(name)/\(index): \($0)" }
        }
      }
  }

  private func problems(with provenance: [String: Any]) -> [String] {
    let factors = provenance["conversion_factors"] as? [String: Double] ?? [:]
    let isWhole =
      Set(provenance.keys)
      == ["tool", "version", "command", "options", "inputs", "conversion_factors"]
      && provenance["tool"] as? String == "promille" && provenance["version"] is String
      && provenance["options"] is [String: Any]
      && (provenance["inputs"] as? [[String: String]])?
        .allSatisfy { Set($0.keys) == ["file", "sha256"] } == true
      && Set(factors.keys) == ["blood_density_kg_per_l", "blood_breath_ratio", "serum_blood_ratio"]
      && factors.values.allSatisfy { $0 > 0 }
    return isWhole ? [] : ["the provenance is not whole"]
  }

  /// Rows of a table with details may be without some columns, all others have each.
  private func problems(with row: [String: Any], _ columns: [Column]) -> [String] {
    let mayLack = columns.contains { !$0.option.isEmpty }
    let unknown = Set(row.keys).subtracting(columns.map(\.name)).sorted().map { "unknown \($0)" }
    return unknown
      + columns.compactMap { column in
        guard let value = row[column.name] else { return mayLack ? nil : "no \(column.name)" }
        return column.holds(value) ? nil : "\(column.name) is \(value), not \(column.type)"
      }
  }
}

extension ColumnList.Column {
  private static let empty = " or empty"
  private static let choice = "one of "

  fileprivate func holds(_ value: Any) -> Bool {
    let canBeEmpty = type.hasSuffix(Self.empty)
    if value is NSNull { return canBeEmpty }
    switch canBeEmpty ? String(type.dropLast(Self.empty.count)) : type {
    case "number": return value is Double
    case "count": return (value as? Double).map { $0 >= 0 && $0 == $0.rounded() } == true
    case "text", "codes": return value is String
    case let type:
      let words = type.dropFirst(Self.choice.count).split(separator: ", ").map(String.init)
      return type.hasPrefix(Self.choice) && (value as? String).map(words.contains) == true
    }
  }
}
