import AlcoholKinetics
import Foundation
package import StudyData
package import StudyFiles

extension CodeExplanation {
  /// The explanation, in lines of at most 90 characters.
  ///
  /// - Parameter name: The code that was asked for. If an earlier version gave it, that is said.
  package func text(askedFor name: String) -> String {
    let former = formerCodes.first { $0 == name.uppercased() }
    return "\(code) (\(kind)\(former.map { ", was \($0)" } ?? ""))\n"
      + [finding, why, "What to do: \(remedy)"].map { $0.indentedParagraph("  ") }.joined()
  }

  /// Every code with what was found, by what it is about.
  package static var list: String {
    sections.map { section in
      "\(section.title)\n"
        + section.explanations.map { explanation in
          "  \(explanation.code)\n" + explanation.finding.indentedParagraph("    ")
        }.joined()
    }.joined(separator: "\n")
  }
}

extension ColumnName {
  /// The name on lines of at most 90 characters.
  package var explanation: String {
    "\(name) (name for --map)\n" + words.indentedParagraph("  ")
  }

  /// Every name with what it says, in lines of at most 90 characters.
  package static var list: String {
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

extension ConcentrationUnit {
  /// Every unit with what the sample is of and other words for it, in lines of at most 90 characters.
  package static var list: String {
    let width = (all.map(\.rawValue.count).max() ?? 0) + 2
    func lines(_ units: [ConcentrationUnit]) -> String {
      units.map { unit in
        let name = "  " + unit.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
        var line = name + "\(unit.symbol), \(unit.matrix.rawValue)"
        for word in unit.otherWords where line.count + word.count < 86 {
          line += (line.contains(": ") ? ", " : ": ") + word
        }
        return line + "\n"
      }.joined()
    }
    return """
      Units of concentrations, for options, cases, --predictions and DV_UNIT: by the names of
      columns, or in the words of spreadsheets with the sample before or behind, as "serum g/L"
      or "ug/100 ml breath". Without a sample they are of whole blood; mg/L and others in which
      breath is measured, too, need it.

      \(lines(allCases))
      Converted into one of these where a study keeps readings
      \(lines(all.filter { $0.keptIn != $0 }))
      """
  }
}

extension RFactorMethods {
  /// Every method with its source and spread, in lines of at most 90 characters.
  package static var list: String {
    let compared = Set(all().map(\.name))
    let width = (known().map(\.name.count).max() ?? 0) + 2
    func lines(of methods: [any RFactorMethod]) -> String {
      methods.map { method in
        let cv = [Sex.male, .female].map { String(format: "%.1f", 100 * method.spread.cv(of: $0)) }
        return "  " + method.name.padding(toLength: width, withPad: " ", startingAt: 0)
          + "\(method.reference); \(cv[0]) and \(cv[1]) %\n"
      }.joined()
    }
    return """
      Methods for --r-factor, which estimate r (rho, the Widmark factor) of a person. The
      percentages are the spread of people's r about the method's: the coefficient of variation
      of men and of women.

      With --r-factor all
      \(lines(of: all()))
      By name
      \(lines(of: known().filter { !compared.contains($0.name) }))
      """
  }
}

extension String {
  /// The text in lines of at most 90 characters, each behind an indent.
  func indentedParagraph(_ indent: String) -> String {
    wrapped(to: 90 - indent.count).split(separator: "\n")
      .map { indent + $0.drop { $0 == " " } + "\n" }.joined()
  }
}
