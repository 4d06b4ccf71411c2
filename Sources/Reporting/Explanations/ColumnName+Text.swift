import Foundation
public import StudyData

extension ColumnName {
  /// The name on lines of at most 90 characters.
  public var explanation: String {
    "\(name) (name for --map)\n" + words.indentedParagraph("  ")
  }

  /// Every name with what it says, in lines of at most 90 characters.
  public static var list: String {
    let width = (all.map(\.name.count).max() ?? 0) + 2
    let groups = ofGroups { name in
      "  " + name.name.padding(toLength: width, withPad: " ", startingAt: 0) + name.words + "\n"
    }
    return """
      Names for --map "HEADER=NAME", and for columns in datapackage.json. As HEADER, * stands
      for all columns that are called by a time.

      """ + groups.map { "\n\($0)\n\($1)" }.joined()
  }

  /// The article that lists all names, in Markdown.
  public static var article: String {
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

  private static func ofGroups(_ line: (ColumnName) -> String) -> [(title: String, lines: String)] {
    Group.allCases.map { group in
      (group.rawValue, all.filter { $0.group == group }.map(line).joined())
    }
  }
}
