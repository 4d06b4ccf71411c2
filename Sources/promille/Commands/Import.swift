import AlcoholKinetics
import ArgumentParser
import Foundation
import Reporting
import StudyData
import StudyFiles
import StudyStore

struct Import: ResultCommand {
  static let configuration = Help.configuration("import")

  @OptionGroup var input: StudyOptions

  @Option(
    help: ArgumentHelp("The database; created if it does not exist.", valueName: "database"),
    completion: .file())
  var into: String

  @Flag(help: "Say what would be added and changed, and write nothing.")
  var dryRun = false

  @OptionGroup(title: "Selection") var selection: SelectionArguments
  @OptionGroup(title: "Output") var output: OutputOptions

  var namedFiles: [NamedFile] { [.database(into, by: "--into")] }

  func run() throws {
    try require(
      !Self.isHealthExport(input.study),
      "\(input.study) is an export of Apple Health; type: promille serve import-health \(input.study.quotedForShell) "
        + "--into \(into.quotedForShell) --subject NAME")
    let study = try input.read(console)
    try input.warnOfStudyDayData(console)
    console.warnOfUnknownSubjects(
      selection.subject, among: Set(study.series.map(\.subject.id)), of: input.study)
    let started = ContinuousClock.now
    let selection = selection.selection
    let (counts, name) =
      dryRun
      ? try DatabaseOutput.rehearse(into) { store in
        (try store.rehearse(study, selection: selection), try store.studyName())
      }
      : try DatabaseOutput.change(into) { store in
        let name = try store.studyName()
        return (try store.add(study, from: self.input.study, selection: selection), name)
      }
    if let name, name != study.name { warnOfOther(name, than: study.name, counts) }
    if dryRun {
      console.remark("\(into): nothing was written (--dry-run)")
    } else {
      console.reportTime("wrote \(counts.total.added) records", since: started)
    }
    try output.print(.imported(counts, provenance: provenance(inputs: study.inputs)))
    try console.endIfFailed(
      study.series.count { $0.firstError != nil }, of: study.series.count)
  }

  var following: String? {
    dryRun ? nil : "what is in it: promille check \(into.quotedForShell)"
  }

  /// A second study in one database is right if it is of the same people, and wrong if its people only
  /// have the same names.
  private func warnOfOther(_ name: String, than other: String, _ counts: ImportCounts) {
    let changed = counts[.subjects].changed
    guard changed > 0 else { return }
    console.warning(
      "W_STORE_OTHER_STUDY",
      "\(changed) subjects of \(other) have the same names as "
        + "subjects of \(name), and their measures \(dryRun ? "would be" : "were") changed; if they are different people, use "
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
    "imported",
    columns: [
      Column("type", heading: "type", \.type),
      Column("added", heading: "added", \.counts.added),
      Column("changed", heading: "changed", \.counts.changed),
      Column("unchanged", heading: "unchanged", \.counts.unchanged),
    ])
}

extension RecordType: ColumnValue {}

/// Standard input, of which the beginning can be looked at before somebody reads it.
private enum StandardInput {
  /// The first bytes of standard input. They are put back: a pipe takes its place, fed with them
  /// and the rest.
  static func beginning() -> Data {
    var start = [UInt8](repeating: 0, count: 1 << 12)
    let count = read(STDIN_FILENO, &start, start.count)
    guard count > 0 else { return Data() }
    start.removeSubrange(count...)
    return putBack(start) ? Data(start) : Data()
  }

  /// Whether the first byte of a text that is no blank and no mark of an encoding is that of XML.
  static func isXML(_ start: some Sequence<UInt8>) -> Bool {
    let blanks: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0x00, 0x20, 0x09, 0x0A, 0x0D]
    return start.first { !blanks.contains($0) } == UInt8(ascii: "<")
  }

  private static func putBack(_ start: [UInt8]) -> Bool {
    // A file is read again from where it was.
    if lseek(STDIN_FILENO, off_t(-start.count), SEEK_CUR) >= 0 { return true }
    var ends: [Int32] = [0, 0]
    let original = dup(STDIN_FILENO)
    guard original >= 0, pipe(&ends) == 0, dup2(ends[0], STDIN_FILENO) >= 0 else { return false }
    close(ends[0])
    let feeder = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    let rest = FileHandle(fileDescriptor: original, closeOnDealloc: true)
    Thread.detachNewThread {
      // If the reader has ended, there is nobody to feed.
      try? feeder.write(contentsOf: Data(start))
      while let block = try? rest.read(upToCount: 1 << 16), !block.isEmpty {
        guard (try? feeder.write(contentsOf: block)) != nil else { break }
      }
      try? feeder.close()
    }
    return true
  }
}
