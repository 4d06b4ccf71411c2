import StudySupport

@testable import StudyData
@testable import StudyFiles

/// The findings about `datapackage.json`.
enum DescriptorCodes {
  static let cases: [CodeCase] = [
    CodeCase(.fileFormat, in: .descriptor, "", at: 1, 1, says: "value is expected"),
    CodeCase(.fileFormat, in: .descriptor, "[]", at: 1, 1, says: "not an object"),
    CodeCase(.fileFormat, in: .descriptor, "{\"title\": 5}", at: 1, 11, says: "title is not"),
    CodeCase(
      .fileFormat, in: .descriptor, "{\n  \"title\" \"x\"}", at: 2, 11, says: ": is expected"),
    CodeCase(.fileFormat, in: .descriptor, "{\"promille\": 1}", at: 1, 14, says: "promille is not"),
    CodeCase(.fileFormat, in: .descriptor, "{\"title\": \"\0\"}", at: 1, 12, says: "NUL"),
    instrument(.fileFormat, "\"resolution\": \"0.01\"", 44, says: "resolution is not a number"),
    instrument(.fileFormat, "\"resolution\": 0", 44, says: "out of range"),
    instrument(.fileFormat, "\"relative_accuracy\": 10", 51, says: "relative_accuracy is 10"),
    instrument(.fileFormat, "\"limit_of_detection\": -1", 52, says: "limit_of_detection"),
    instrument(.fileFormat, "\"mouth_alcohol_window_min\": -1", 58, says: "mouth_alcohol"),
    CodeCase(
      .word, in: .descriptor, "{\"promille\": {\"food\": \"lunch\"}}", at: 1, 23,
      says: "food is \"lunch\""),
    CodeCase(
      .word, in: .descriptor, "{\"promille\": {\"food\": 1}}", at: 1, 23, says: "food is no text"),
    instrument(.descriptorKey, "\"mouth_alcohol_window\": 15", 30, says: "mouth_alcohol_window"),
    CodeCase(
      .descriptorKey, in: .descriptor, "{\"promille\": {\"instruments\": {}}}", at: 1, 15),
  ]

  private static func instrument(
    _ code: DiagnosticCode, _ member: String, _ column: Int, says: String
  ) -> CodeCase {
    let text = "{\"promille\": {\"instrument\": {\(member)}}}"
    return CodeCase(code, in: .descriptor, text, at: 1, column, says: says)
  }
}
