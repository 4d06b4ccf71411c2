import Reporting

extension ResultCatalogue {
  /// The article that documents every column, in Markdown.
  var article: String {
    """
    # Columns

    The columns of every results table: the header line in CSV, the keys of each row in JSON.

    ## Overview

    CSV holds the first table of a command. JSON holds all of them, each under its name. A value that is
    unknown, not finite or not applicable is empty in CSV and null in JSON; only columns whose type says so may
    be empty. Columns keep their names and meanings. New ones may be added; none is removed without a new
    `schema_version`. This page and the JSON Schemas in the folder `schemas` are made from the declarations of
    the columns. `promille explain NAME` prints what is said here of a column.

    Names in CSV and JSON are exactly those of the study. Some spreadsheets treat a name that begins with `=`,
    `+`, `-` or `@` as a formula: import such a table as text. Tables on a terminal, pages, pictures and
    messages show control and bidirectional characters as escapes such as `\\u{202e}`.

    """ + commands.map(\.section).joined()
  }
}

extension ResultCatalogue.Command {
  /// What stands above the tables of a command.
  private static let introductions = [
    "export --notebook":
      """

    The folder `results` holds the tables of `check`, `fit`, `sober`, `compare` and `compare --summary` under
    these names, `residuals.csv`, and

    """
  ]

  fileprivate var section: String {
    "\n## promille \(name)\n" + (Self.introductions[name] ?? "") + tables.map(\.section).joined()
  }
}

extension TableDescription {
  fileprivate var section: String {
    let rows = columns.map { column in
      "| `\(column.name)` | \(column.unit ?? "") | \(column.typeName) | \(column.meaning) |\n"
    }
    return
      "\n### \(name)\n\n\(about)\n\n| Column | Unit | Type | Meaning |\n| --- | --- | --- | --- |\n"
      + rows.joined()
  }
}
