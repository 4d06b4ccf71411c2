/// The files of a study folder.
enum StudyFile: String, CaseIterable {
  case subjects = "subjects.csv"
  case drinks = "drinks.csv"
  case readings = "readings.csv"
  case descriptor = "datapackage.json"

  /// Whether a study cannot be read without it.
  var isRequired: Bool { self == .subjects || self == .drinks }
}
