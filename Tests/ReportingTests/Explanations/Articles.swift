import StudyData

@testable import Reporting

extension CodeExplanation {
  /// The article that lists all codes, in Markdown.
  static var article: String {
    let sections = sections.map { section in
      let rows = section.explanations.map { explanation in
        "| `\(explanation.code)` | \(explanation.found) \(explanation.why) | \(explanation.remedy) |\n"
      }
      return "\n## \(section.title)\n\n| code | what was found | what to do |\n|---|---|---|\n"
        + rows.joined()
    }
    return """
      # Codes

      What every error and warning means, and what to do about it.

      ## Overview

      Codes are stable: they are never renamed or reused, so that scripts can rely on them. `E_` marks
      an error, `W_` a warning, `N_` a note that needs no action. `promille explain CODE` prints one of these entries.

      """ + sections.joined()
  }
}

extension ColumnName {
  /// The article that lists all names, in Markdown.
  static var article: String {
    let groups = ofGroups { "| `\($0.name)` | \($0.meaning) | \($0.unit) |\n" }
    return """
      # Names for columns

      What `--map`, and `columns` in `datapackage.json`, can say of a column.

      ## Overview

      `promille explain map` prints this list. `*` in the place of a header stands for all columns that are called by a
      time. See <doc:YourSpreadsheet>.

      """
        + groups.map {
          "\n## \($0)\n\n| name | what the column holds | unit |\n|---|---|---|\n\($1)"
        }.joined()
  }
}
