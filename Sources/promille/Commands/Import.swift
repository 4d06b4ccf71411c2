import AlcoholKinetics
import ArgumentParser
import Foundation
import Reporting
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
  @OptionGroup(title: "Output") var output: OutputOptions

  var namedFiles: [NamedFile] { [.database(into, by: "--into")] }

  func run() throws {
    try require(
      !Self.isHealthExport(input.study),
      "\(input.study) is an export of Apple Health; type: promille serve import-health \(input.study.quotedForShell) "
        + "--into \(into.quotedForShell) --subject NAME")
    let reader = try input.open(console)
    let study = try StudyOptions.read(reader, console)
    try input.tellOfStudyDay(console)
    console.warnOfNobody(
      selection.subject, among: Set(study.series.map(\.subject.id)), of: input.study)
    let started = ContinuousClock.now
    let (counts, name) = try DatabaseOutput.change(into) { store in
      let name = try store.studyName()
      return (
        try store.add(study, from: self.input.study, selection: selection.selection), name
      )
    }
    if let name, name != study.name { warnOfOther(name, than: study.name, counts) }
    console.tellTime("wrote \(counts.total.added) records", since: started)
    try output.print(.imported(counts, provenance: provenance(inputs: study.inputs)))
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

  /// Whether a path leads to what Apple Health exports, which the study day takes: XML, or the folder or archive with it.
  private static func isHealthExport(_ study: String) -> Bool {
    if study == StudyReader.standardInputPath {
      return StandardInput.isXML(StandardInput.beginning())
    }
    guard !StudyReader.isFolder(study) else {
      let files = FileManager.default
      return files.fileExists(atPath: "\(study)/export.xml")
        && !files.fileExists(atPath: "\(study)/subjects.csv")
    }
    return ["export.xml", "export.zip"].contains { study.lowercased().hasSuffix($0) }
  }
}

extension Report {
  fileprivate static func imported(_ counts: ImportCounts, provenance: Provenance) -> Report {
    Report(
      sections: [
        Section(
          Self.imported, rows: RecordType.allCases.map { (type: $0, counts: counts[$0]) })
      ],
      provenance: provenance)
  }

  static let imported = TableLayout<(type: RecordType, counts: ImportCounts.Tally)>(
    "imported", "A row per type of record.",
    columns: [
      Column("type", heading: "type", "type of record", \.type),
      Column("added", heading: "added", "new records", \.counts.added),
      Column("changed", heading: "changed", "records that replaced others", \.counts.changed),
      Column("unchanged", heading: "unchanged", "records already present", \.counts.unchanged),
    ])
}

extension RecordType: ColumnValue {}
