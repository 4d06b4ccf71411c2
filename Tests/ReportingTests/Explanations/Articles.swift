import StudyData
import StudyFiles

@testable import Reporting

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
