/// Why a study cannot be written as a folder.
public enum StudyWritingError: Error, Hashable, Sendable {
  /// Readings are in several units, and `readings.csv` has one.
  case severalUnits([String])
  /// A subject or occasion has a name that files take for a missing value.
  case name(String)

  /// The stable code.
  public var code: String {
    switch self {
    case .severalUnits: "E_WRITE_UNITS"
    case .name: "E_WRITE_NAME"
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
      "the readings are in \(units.joined(separator: ", ")), and a folder has one unit"
    case .name(let name):
      "a subject or occasion is named \(name.quoted), which stands for a missing value"
    }
  }

  /// What to do about it.
  var remedy: String {
    switch self {
    case .severalUnits: "export to nonmem, json or sqlite"
    case .name: "rename it"
    }
  }
}
