import AlcoholKinetics
import ArgumentParser
import Foundation
import HealthData
import Population
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
    } else if ["mod", "ctl"].contains(URL(filePath: input.study).pathExtension.lowercased()) {
      try importProblem()
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

  /// Imports the table of a control stream, and shows the command that its model is.
  private func importProblem() throws {
    try require(
      input.drinksCatalogue == nil && input.table.inputFormat == .csv,
      "--drinks-catalogue and --input-format are for studies in files of their own, and \(input.study) is a control stream; leave them out."
    )
    let file = URL(filePath: input.study)
    guard let text = try? String(contentsOf: file, encoding: .utf8) else {
      throw Refusal(
        ControlStreamProblem.code, "\(input.study) cannot be read", ExitStatus.noInput)
    }
    let stream: ControlStream
    do throws(ControlStreamProblem) {
      stream = try ControlStream(text, at: file)
    } catch {
      throw Refusal(ControlStreamProblem.code, "\(input.study): \(error)", ExitStatus.badData)
    }
    let reader = StudyReader(
      tableOf: stream, dvUnit: input.dvUnit ?? .bloodGramsPerKilogram, map: input.columns.columnMap)
    try importStudy(
      reader,
      inputs: [
        InputDigest(file: input.study, of: Data(text.utf8)),
        InputDigest(file: stream.tablePath, of: stream.tableBytes),
      ])
    console.remark("the model of \(input.study): \(Self.command(stream, of: into))")
  }

  /// The command of promille population that fits the model of a control stream.
  static func command(_ stream: ControlStream, of study: String) -> String {
    var words = ["promille population \(study.shellQuoted) --model first-order"]
    func names(_ parameters: [ControlStream.Typical]) -> String {
      parameters.map(\.name).joined(separator: ",")
    }
    let random = stream.parameters.filter { $0.variance != nil }
    words.append("--random \(names(random))")
    let common = stream.parameters.filter { $0.variance == nil && !$0.isFixed }
    if !common.isEmpty { words.append("--common \(names(common))") }
    for one in stream.parameters {
      let number = String(format: "%.6g", one.value)
      words.append("--\(one.isFixed ? "fix" : "initial") \(one.name)=\(number)")
      if let variance = one.variance, one.isVarianceFixed {
        words.append("--fix-omega \(one.name)=\(variance)")
      }
    }
    if stream.isFull { words.append("--covariance full") }
    words.append("--error \(stream.error)")
    if stream.method != PopulationMethod.focei.rawValue {
      words.append("--method \(stream.method)")
    }
    return words.joined(separator: " ")
  }

  /// - Parameter inputs: The files that the study was made of; nil for those that were read.
  private func importStudy(_ reader: StudyReader, inputs: [InputDigest]? = nil) throws {
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
    try output.print(.imported(counts, provenance: provenance(inputs: inputs ?? study.inputs)))
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
