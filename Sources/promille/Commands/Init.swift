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

  @Flag(help: "Ask nothing on a terminal; the errors then name the --map that answers.")
  var noQuestions = false

  @OptionGroup(title: "Output") var output: OutputOptions

  var namedFiles: [NamedFile] { [.read(from), .read(like)] }

  func validate() throws {
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
      try write(StudyTemplate.files)
      return try output.print(
        .made(
          [], notes: ["\(folder): fill in the tables, then: promille check \(folder)"],
          provenance: provenance()))
    }
    let (reader, stated) = try open(from)
    let study = try reader.study()
    console.report(study.allDiagnostics)
    guard !study.allDiagnostics.contains(where: { $0.severity == .error }) else {
      console.say(Message("nothing was written; correct the errors and run the command again"))
      throw ExitStatus.badData
    }
    try write(try StudyWriter.files(of: study, takenAs: reader.taken, stated: stated))
    let readings = study.series.reduce(0) { $0 + $1.readings.count }
    let drinks = study.series.reduce(0) { $0 + $1.drinks.count }
    let following =
      stated.isEmpty
      ? [] : ["the next table of this laboratory: promille init NEW --from TABLE --like \(folder)"]
    let people = Set(study.series.map(\.subject.id)).count
    var places = DrinkTimes()
    for series in study.series { places.add(series) }
    let notes = [
      "\(from): \(reader.summary.isEmpty ? places.text : reader.summary)",
      "\(folder): \(people) subjects, \(study.series.count) series, \(drinks) drinks, \(readings) readings",
      "next: promille check \(folder)",
    ]
    try output.print(
      .made(reader.taken, notes: notes + following, provenance: provenance(inputs: study.inputs)))
  }

  /// Opens the table, and asks what has to be known where somebody sits at a terminal.
  ///
  /// - Returns: The table, and the statements about its columns.
  private func open(_ from: String) throws -> (reader: StudyReader, stated: ColumnMap) {
    let kept = try like.map { try ColumnMap(answersOf: $0) } ?? .empty
    if let like, kept.isEmpty { console.remark("\(like) has no answers about columns") }
    // What a folder says of its own columns is kept, too.
    let ofFolder = StudyReader.isFolder(from) ? (try? ColumnMap(answersOf: from)) ?? .empty : .empty
    var dialogue = noQuestions || console.isQuiet || !Dialogue.isPossible ? nil : Dialogue(console)
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

  private func write(_ files: [(name: String, text: String)]) throws {
    try console.attempt(folder, "FOLDER") { try FolderOutput.write(files, to: folder) }
  }
}
