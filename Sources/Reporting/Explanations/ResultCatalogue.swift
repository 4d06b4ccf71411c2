import StudyData

/// The tables of results that commands make and the columns of each, as `columns.tsv` lists them.
///
/// Units and meanings are written there; a test compares the rest with the columns that are declared. The list is part
/// of the program, and `promille explain` reads it.
package enum ResultCatalogue {
  /// A column of a table, or the table itself where the column has no name.
  package struct Entry: Sendable {
    package let command: String
    package let table: String
    package let column: String
    package let facts: Facts
  }

  /// The description of a column; a table has only its meaning: the content of a row.
  package struct Facts: Hashable, Sendable {
    /// The unit, or the name in backquotes of the column that has it; empty without any.
    package let unit: String
    /// The type, and whether a value can be missing: `number or empty`.
    package let type: String
    /// The option that rows have it with; empty for none.
    package let option: String
    package let meaning: String
  }

  /// All tables and columns in the order of the list.
  package static let entries = String(decoding: PackageResources.columns_tsv, as: UTF8.self)
    .split(separator: "\n").dropFirst().map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return Entry(
        command: fields[0], table: fields[1], column: fields[2],
        facts: Facts(unit: fields[3], type: fields[4], option: fields[5], meaning: fields[6]))
    }

  package static var columnNames: [String] {
    entries.map(\.column).filter { !$0.isEmpty }.uniqued
  }

  /// The explanation of all columns with a name, each meaning with its tables; nil if there is no
  /// such column.
  package static func explanation(of column: String) -> String? {
    let name = column.lowercased()
    let matches = entries.filter { !name.isEmpty && $0.column == name }
    guard !matches.isEmpty else { return nil }
    return "\(name) (column)\n"
      + matches.map(\.facts).uniqued.map { facts in
        let places = matches.filter { $0.facts == facts }
          .map { "\($0.table) (promille \($0.command))" }
        let brackets =
          facts.type + (facts.unit.isEmpty ? "" : ", in \(facts.unit)")
          + (facts.option.isEmpty ? "" : ", with \(facts.option)")
        return "\(facts.meaning) [\(brackets)]".indentedParagraph("  ")
          + "Tables: \(places.joined(separator: ", "))".indentedParagraph("    ")
      }.joined()
  }

  /// The code or column that is most like a word that is neither; nil if all are far from it.
  package static func similar(to word: String) -> String? {
    let words = Set(word.uppercased().split(separator: "_"))
    let codes = CodeExplanation.all.map(\.code)
    let isCode = word.uppercased().hasPrefix("E_") || word.uppercased().hasPrefix("W_")
    let names = isCode ? codes + columnNames : columnNames + codes
    // A code's first letter says only whether it is an error.
    let shared = names.map { name in
      (
        name,
        name.uppercased().split(separator: "_").count { $0.count > 1 && words.contains($0) }
      )
    }
    let most = shared.map(\.1).max() ?? 0
    return word.nearest(in: names) ?? (most > 0 ? shared.first { $0.1 == most }?.0 : nil)
  }
}
