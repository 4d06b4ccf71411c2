import AlcoholKinetics
import ArgumentParser
import Foundation
import Reporting
import Spreadsheets
import StudyData
import StudyFiles
import StudyStore

struct Init: ResultCommand {
  static let configuration = Help.configuration("init")

  @Argument(help: "The folder to make.")
  var folder: String

  @Option(
    help: ArgumentHelp(
      "A table, or another form of a study, to make the folder from.", valueName: "study"),
    completion: .file())
  var from: String?

  @OptionGroup var columns: MapOption
  @OptionGroup var clocks: ClockOption

  @Option(
    help: ArgumentHelp(
      "Take what was said of columns from an earlier study: a folder, or its datapackage.json. --map counts more.",
      valueName: "study"),
    completion: .file())
  var like: String?

  @Flag(
    name: [.customLong("no-input"), .customLong("no-questions")],
    help: "Ask nothing on a terminal, but refuse; the errors then name the --map that answers.")
  var noInput = false

  @Flag(
    help:
      "Write the made-up study of 24 people, with its story and the truth, to try everything on.")
  var example = false

  @Flag(help: "Say what would be written, and write nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions

  var namedFiles: [NamedFile] { [.read(from), .read(like)] }

  func validate() throws {
    try require(
      from == nil || !example, "--example and --from both say what the folder holds; choose one.")
    try require(
      from != nil || columns.map.isEmpty,
      "--map says what the columns of a table are; add --from with the table.")
    try require(
      from != nil || clocks.timeZone == nil,
      "--time-zone is about the times of a table; add --from with the table.")
    try require(
      from != nil || like == nil,
      "--like is about the columns of a table; add --from with the table.")
  }

  func run() throws {
    try console.attempt(folder, "FOLDER") { try FolderOutput.requireNothing(at: folder) }
    guard let from else {
      let files = example ? StudyExample.files : StudyTemplate.files
      try write(files)
      return try output.print(
        .made(
          [],
          notes: (example
            ? StudyExample.story(in: folder)
            : ["\(folder): fill in the tables, then: promille check \(folder.quotedForShell)"])
            + rehearsed(files),
          provenance: provenance()))
    }
    let (reader, stated) = try open(from)
    let study = try reader.study()
    console.report(study.allDiagnostics)
    guard !study.allDiagnostics.contains(where: { $0.severity == .error }) else {
      console.say(Message("nothing was written; correct the errors and run the command again"))
      throw ExitStatus.badData
    }
    let files = try StudyWriter.files(of: study, takenAs: reader.taken, stated: stated)
    try write(files)
    let readings = study.series.reduce(0) { $0 + $1.readings.count }
    let drinks = study.series.reduce(0) { $0 + $1.drinks.count }
    let following =
      stated.isEmpty
      ? []
      : [
        "the next table of this laboratory: promille init NEW --from TABLE --like \(folder.quotedForShell)"
      ]
    let people = Set(study.series.map(\.subject.id)).count
    var places = DrinkTimes()
    for series in study.series { places.add(series) }
    let notes = [
      "\(from): \(reader.summary.isEmpty ? places.text : reader.summary)",
      "\(folder): \(people) subjects, \(study.series.count) series, \(drinks) drinks, \(readings) readings",
      "next: promille check \(folder.quotedForShell)",
    ]
    try output.print(
      .made(
        reader.taken, notes: notes + following + rehearsed(files),
        provenance: provenance(inputs: study.inputs)))
  }

  /// Opens the table, and asks what has to be known where somebody sits at a terminal.
  ///
  /// - Returns: The table, and the statements about its columns.
  private func open(_ from: String) throws -> (reader: StudyReader, stated: ColumnMap) {
    let kept = try like.map { try ColumnMap(answersOf: $0) } ?? .empty
    if let like, kept.isEmpty { console.remark("\(like) has no answers about columns") }
    // What a folder says of its own columns is kept, too.
    let ofFolder = StudyReader.isFolder(from) ? (try? ColumnMap(answersOf: from)) ?? .empty : .empty
    var dialogue = noInput || console.isQuiet || !Dialogue.isPossible ? nil : Dialogue(console)
    while true {
      let said = kept.merging(columns.columnMap).merging(dialogue?.answers ?? .empty)
      var stated = columns
      stated.map = said.isEmpty ? [] : [said]
      do {
        let option = columns.map.isEmpty && like != nil ? "--like" : "--map"
        var study = StudyOptions(study: from, columns: stated)
        study.clocks = clocks
        let reader = try study.open(stating: option)
        return (reader, ofFolder.merging(said))
      } catch let error as StudyError {
        guard dialogue?.resolve(error) == true else { throw stopped(error, dialogue) }
      }
    }
  }

  /// The end of the command where questions stay open: with what was answered, which need not be asked again.
  private func stopped(_ error: StudyError, _ dialogue: Dialogue?) -> any Error {
    guard let dialogue, dialogue.hasAsked else { return error }
    console.report(error.diagnostics)
    let answers = dialogue.answers.text
    console.say(
      Message(
        "nothing was written"
          + (answers.isEmpty ? "" : "; what was answered: --map \"\(answers)\"")))
    return error.exitCode
  }

  /// The remark of a rehearsal: what would have been written.
  private func rehearsed(_ files: [(name: String, text: String)]) -> [String] {
    guard dryRun else { return [] }
    return [
      "nothing was written (--dry-run); it would be \(files.map(\.name).joined(separator: ", "))"
    ]
  }

  /// Writes the folder, or tries whether it could be written.
  private func write(_ files: [(name: String, text: String)]) throws {
    try console.attempt(folder, "FOLDER") {
      guard dryRun else { return try FolderOutput.write(files, to: folder) }
      _ = try FolderOutput(folder, files: files.map(\.name))
    }
  }
}

/// The made-up study that comes with the program, to try commands on where there is no other.
enum StudyExample {
  /// The files, as they are in `datasets/made-up-24`; of its story what is true of them alone.
  static let files: [(name: String, text: String)] = [
    ("README.md", PackageResources.README_md), ("subjects.csv", PackageResources.subjects_csv),
    ("drinks.csv", PackageResources.drinks_csv), ("readings.csv", PackageResources.readings_csv),
    ("datapackage.json", PackageResources.datapackage_json), ("app.csv", PackageResources.app_csv),
    ("truth.csv", PackageResources.truth_csv),
    ("truth-planted.csv", PackageResources.truth_planted_csv),
    ("generate.py", PackageResources.generate_py),
  ].map { name, bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    guard name == "README.md", let end = text.range(of: "\n## In the repository") else {
      return (name, text)
    }
    return (name, String(text[..<end.lowerBound]))
  }

  /// The study in a sentence, and the commands to begin with.
  static func story(in folder: String) -> [String] {
    let study = folder.quotedForShell
    return [
      "\(folder): 24 people who never drank; README.md tells who is awkward, truth.csv what a fit should find",
      "promille check \(study)",
      "promille fit \(study) --estimate ka,beta,r --blood-breath-ratio 2100",
      // In two lines, as a terminal would break it without a mark that the command goes on.
      "promille sober \(study) --blood-breath-ratio 2100 --summary \\",
      "--predictions \("My app=\(folder)/app.csv".quotedForShell)",
    ]
  }
}
