import Foundation
public import StudyFiles

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

  static func ofGroups(_ line: (ColumnName) -> String) -> [(title: String, lines: String)] {
    Group.allCases.map { group in
      (group.rawValue, all.filter { $0.group == group }.map(line).joined())
    }
  }
}
