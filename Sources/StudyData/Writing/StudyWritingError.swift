/// Why a study cannot be written as a folder or a table of events.
public enum StudyWritingError: Error, Hashable, Sendable {
  /// Readings are in several units, and `readings.csv` has one.
  case severalUnits([String])
  /// A subject or occasion has a name that files take for a missing value.
  case name(String)
  /// A covariate is called as another column, or as none can be called.
  case covariate(String)

  /// The stable code.
  public var code: String {
    switch self {
    case .severalUnits: "E_WRITE_UNITS"
    case .name: "E_WRITE_NAME"
    case .covariate: "E_WRITE_COVARIATE"
    }
  }
}

extension StudyWritingError: CustomStringConvertible {
  /// What was found and what to do.
  public var description: String { "\(message); \(remedy)" }

  /// What was found.
  var message: String {
    switch self {
    case .severalUnits(let units):
      "the readings are in \(units.joined(separator: ", ")), but a folder can have only one unit"
    case .name(let name):
      "a subject or occasion is named \(name.quoted), which stands for a missing value"
    case .covariate(let name):
      "the covariate \(name.quoted) has the name of another column (ignoring case), or no name"
    }
  }

  /// What to do about it.
  var remedy: String {
    switch self {
    case .severalUnits: "export to nonmem, json or sqlite"
    case .name, .covariate: "rename it"
    }
  }
}
