import AlcoholKinetics
import ArgumentParser
import HealthData
import Reporting
import Spreadsheets
import StudyData
import StudyFiles
import StudyStore

struct Import: RecordedCommand {
  static let configuration = Help.configuration("import")

  @OptionGroup var input: StudyOptions

  @Option(
    help: ArgumentHelp("The database; created if it does not exist.", valueName: "database"),
    completion: .file())
  var into: String

  @OptionGroup(title: "Selection") var selection: SelectionArguments
  @OptionGroup(title: "Apple Health") var health: HealthArguments
  @OptionGroup(title: "Output") var output: OutputOptions

  var namedFiles: [NamedFile] { [.database(into, by: "--into")] }

  func run() throws {
    if let export = try HealthArguments.place(of: input.study) {
      try health.requireSubject(selection.subject)
      try require(
        input.isPlain,
        "--dv-unit, --drinks-catalogue, --map and --input-format are for tables, and \(export) is an export of "
          + "Apple Health; leave them out.")
      try require(
        selection.selection.times == nil,
        "Apple Health uses dates: give --from and --to as, for example, 2024-05-01.")
      try importHealth(export)
    } else {
      try require(
        health.areDefaults,
        "--grams-per-drink is for Apple Health; \(input.study) states its doses. Leave it out.")
      try require(
        selection.selection.days == nil,
        "A study uses minutes, not dates: give --from and --to in minutes.")
      try importStudy(try input.open(console))
    }
  }

  private func importStudy(_ reader: StudyReader) throws {
    let study = try StudyOptions.read(reader, console)
    let vitals = try StudyOptions.readVitals(reader, console)
    console.warnOfNobody(
      selection.subject, among: Set(study.series.map(\.subject.id)), of: input.study)
    let started = ContinuousClock.now
    let (counts, refusals, name) = try DatabaseOutput.change(into) { store in
      let name = try store.studyName()
      let (counts, refusals) = try store.add(
        study, vitals: vitals, from: self.input.study, selection: selection.selection)
      return (counts, refusals, name)
    }
    console.tell(refusals)
    if let name, name != study.name { warnOfOther(name, than: study.name, counts) }
    console.tellTime("wrote \(counts.total.added) records", since: started)
    try output.print(.imported(counts, provenance: provenance(inputs: study.inputs)))
    try endIfRefused(counts)
    try console.endIfFailed(
      study.series.count { $0.firstError != nil }, of: study.series.count)
  }

  /// A second study in one database is right if it is of the same people, and wrong if its people only
  /// have the same names.
  private func warnOfOther(_ name: String, than other: String, _ counts: ImportCounts) {
    let changed = counts[.subjects].changed
    guard changed > 0 else { return }
    console.warning(
      "W_STORE_OTHER_STUDY",
      "\(changed) subjects of \(other) have the same names as "
        + "subjects of \(name), and their measures were changed; if they are different people, use "
        + "one database per study (the table changes has the old values)",
      at: into)
  }

  private func importHealth(_ export: String) throws {
    let started = ContinuousClock.now
    let (counts, findings) = try DatabaseOutput.change(into) { store in
      try store.add(
        health: try HealthArguments.stream(of: export), file: export,
        health.options(selection.subject),
        selection: selection.selection)
    }
    console.tellTime("wrote \(counts.total.added) records", since: started)
    for finding in findings { console.say(Message(finding)) }
    try output.print(.imported(counts, provenance: provenance()))
    try endIfRefused(counts)
  }

  private func endIfRefused(_ counts: ImportCounts) throws {
    guard counts.total.refused > 0 else { return }
    console.remark("\(counts.total.refused) records were left out")
    throw ExitStatus.someFailed
  }
}
