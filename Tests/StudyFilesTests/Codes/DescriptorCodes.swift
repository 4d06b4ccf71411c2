import StudySupport

@testable import StudyData
@testable import StudyFiles

/// What can be wrong with `datapackage.json`.
enum DescriptorCodes {
  static let cases: [CodeCase] = [
    CodeCase(.descriptor, in: .descriptor, "", at: 1, 1, says: "value is expected"),
    CodeCase(.descriptor, in: .descriptor, "[]", at: 1, 1, says: "not an object"),
    CodeCase(.descriptor, in: .descriptor, "{\"title\": 5}", at: 1, 11, says: "title is not"),
    CodeCase(
      .descriptor, in: .descriptor, "{\n  \"title\" \"x\"}", at: 2, 11, says: ": is expected"),
    CodeCase(.descriptor, in: .descriptor, "{\"promille\": 1}", at: 1, 14, says: "promille is not"),
    CodeCase(.descriptor, in: .descriptor, "{\"title\": \"\0\"}", at: 1, 12, says: "NUL"),
    instrument(.descriptor, "\"resolution\": \"0.01\"", 44, says: "resolution is not a number"),
    instrument(.descriptor, "\"resolution\": 0", 44, says: "out of range"),
    instrument(.descriptor, "\"relative_accuracy\": 10", 51, says: "relative_accuracy is 10"),
    instrument(.descriptor, "\"limit_of_detection\": -1", 52, says: "limit_of_detection"),
    instrument(.descriptor, "\"mouth_alcohol_window_min\": -1", 58, says: "mouth_alcohol"),
    CodeCase(
      .food, in: .descriptor, "{\"promille\": {\"food\": \"lunch\"}}", at: 1, 23,
      says: "food is \"lunch\""),
    CodeCase(
      .food, in: .descriptor, "{\"promille\": {\"food\": 1}}", at: 1, 23, says: "food is no text"),
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
