import ArgumentParser
import HealthData
import StudyStore

/// Types of records, and kinds of vital signs, separated by commas.
struct TypeList: ExpressibleByArgument {
  /// As it was given.
  let text: String
  let types: Set<RecordType>
  /// The kinds of vital signs; nil for all.
  let kinds: Set<String>?

  init?(argument: String) {
    text = argument
    var types: Set<RecordType> = []
    var kinds: Set<String> = []
    for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
      if let type = RecordType(rawValue: String(word)) {
        types.insert(type)
      } else if let kind = VitalKind(rawValue: String(word)) {
        kinds.insert(kind.rawValue)
      } else {
        return nil
      }
    }
    self.kinds = types.contains(.vitals) || kinds.isEmpty ? nil : kinds
    self.types = kinds.isEmpty ? types : types.union([.vitals])
  }
}
