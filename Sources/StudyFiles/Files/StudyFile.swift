import StudyData

package enum StudyFile: String, CaseIterable {
  case subjects = "subjects.csv"
  case drinks = "drinks.csv"
  case readings = "readings.csv"
  case estimates = "estimates.csv"
  case descriptor = "datapackage.json"

  static let ofSeries: [StudyFile] = [.subjects, .drinks, .readings, .descriptor]
  package static let ofEstimates: [StudyFile] = [.estimates, .descriptor]

  /// Whether the studies it belongs to cannot be read without it.
  var isRequired: Bool { self == .subjects || self == .drinks || self == .estimates }
}
