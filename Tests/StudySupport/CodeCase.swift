package import StudyData
package import StudyFiles

/// A study with one thing wrong, and the finding that it must lead to.
package struct CodeCase: CustomStringConvertible, Sendable {
  package var code: DiagnosticCode
  package var file: StudyFile
  package var line: Int?
  package var column: Int?
  /// The message, or a part of it, that the finding must have.
  package var says: String
  package var sample: StudySample

  /// Spoils one file of the sound study.
  package init(
    _ code: DiagnosticCode, in file: StudyFile, _ text: String, at line: Int? = nil,
    _ column: Int? = nil, says: String = ""
  ) {
    self.code = code
    self.file = file
    self.line = line
    self.column = column
    self.says = says
    sample = StudySample()
    switch file {
    case .subjects: sample.subjects = text
    case .drinks: sample.drinks = text
    case .readings: sample.readings = text
    case .estimates: sample.estimates = text
    case .descriptor: sample.descriptor = text
    case .events: break
    }
  }

  /// Spoils the data rows of one file.
  package static func subject(
    _ code: DiagnosticCode, _ row: String, _ column: Int, says: String = ""
  ) -> CodeCase {
    let text = "subject,sex,age_y,height_cm,weight_kg\n\(row)\n"
    return CodeCase(code, in: .subjects, text, at: 2, column, says: says)
  }

  package static func drink(
    _ code: DiagnosticCode, _ row: String, _ column: Int, says: String = ""
  ) -> CodeCase {
    let header = "subject,time_min,duration_min,ethanol_g,volume_ml,abv_percent,ethanol_g_per_kg"
    return CodeCase(code, in: .drinks, "\(header)\n\(row)\n", at: 2, column, says: says)
  }

  package static func reading(
    _ code: DiagnosticCode, _ row: String, _ column: Int, says: String = ""
  ) -> CodeCase {
    let text = "subject,time_min,brac_mg_per_l,lod,exclude\n\(row)\n"
    return CodeCase(code, in: .readings, text, at: 2, column, says: says)
  }

  package static func estimate(
    _ code: DiagnosticCode, _ row: String, _ column: Int, says: String = ""
  ) -> CodeCase {
    let text = StudySample.estimateHeader + row + "\n"
    return CodeCase(code, in: .estimates, text, at: 2, column, says: says)
  }

  /// Returns the case with a further change, so that nothing else is found.
  package func with(_ change: (inout CodeCase) -> Void) -> CodeCase {
    var changed = self
    change(&changed)
    return changed
  }

  package var description: String { "\(code.rawValue) in \(file.rawValue): \(says)" }
}
