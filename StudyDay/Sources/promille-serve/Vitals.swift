import ArgumentParser
import HealthData
import Reporting
import StrictOptions
import StudyStore

struct Vitals: RecordedCommand {
  static let configuration = Help.configuration("vitals")

  @Argument(help: "The database.", completion: .file())
  var database: String

  @OptionGroup(title: "Selection") var selection: VitalArguments
  @OptionGroup(title: "Settings") var changes: VitalSettingArguments

  @Flag(help: "Show the thresholds that were crossed (CSV then holds these, not the days).")
  var crossings = false

  @Flag(help: "Show the settings.")
  var settings = false

  @OptionGroup(title: "Output") var output: OutputOptions

  var namedFiles: [NamedFile] { [.read(database)] }

  func run() throws {
    let store = try StudyStore(path: database, for: changes.areDefaults ? .reading : .changing)
    try changes.apply(to: store)
    console.warnOfNobody(selection.subject, among: try store.subjectNames(), of: database)
    try output.print(try report(on: store))
  }

  private func report(on store: StudyStore) throws -> Report {
    if settings || !changes.areDefaults {
      let (kinds, span) = try store.vitalSettings()
      return .vitalSettings(kinds, spanDays: span, provenance: provenance())
    }
    return .vitals(
      try store.vitalDays(selection.filter), try store.vitalCrossings(selection.filter),
      crossingsFirst: crossings, provenance: provenance())
  }

  var unused: [UnusedOptions?] {
    [
      UnusedOptions(
        VitalArguments.optionNames + ["--crossings"], if: settings || !changes.areDefaults,
        "because the settings are shown, which are the same for all; leave it out")
    ]
  }
}
