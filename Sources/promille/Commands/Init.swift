import AlcoholKinetics
import ArgumentParser
import Foundation
import Reporting
import StudyData

/// `promille init`
struct Init: RecordedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Start a study folder: an empty template, or one made from a spreadsheet.",
    discussion: """
      Without --from, writes a template: subjects.csv, drinks.csv, readings.csv and datapackage.json with one \
      made-up person, and a README.md that explains every column.

      With --from, reads a table as every command does (one sheet for everything, a column per time, times of \
      day, pounds), shows what the columns were taken as, and writes it as a study folder. datapackage.json \
      then says what was understood. Nothing is written if the table has an error.

      The folder must not exist yet; nothing is ever overwritten.

      Examples:
        promille init my-study
        promille init my-study --from night.xlsx --map "Reading=brac_mg_per_l"
      """)

  @Argument(help: "The folder to make.")
  var folder: String

  @Option(
    help: ArgumentHelp(
      "A table, or another form of a study, to make the folder from.", valueName: "study"),
    completion: .file())
  var from: String?

  @OptionGroup var columns: MapOption
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    guard from != nil || columns.map.isEmpty else {
      throw ValidationError(
        "--map says what the columns of a table are; add --from with the table.")
    }
  }

  func run() throws {
    try console.attempt(folder, "FOLDER") { try FolderOutput.requireNothing(at: folder) }
    guard let from else {
      try write(StudyTemplate.files)
      return try output.print(
        .made(
          [], notes: ["\(folder): fill in the tables, then: promille check \(folder)"],
          provenance: try provenance()))
    }
    let options = StudyOptions(study: from, columns: columns)
    let reader = try options.open(Console(isQuiet: true))
    let study = try StudyOptions.read(reader, console)
    guard !study.allDiagnostics.contains(where: { $0.severity == .error }) else {
      console.error("promille: nothing was written; correct the errors and run the command again")
      throw ExitStatus.badData
    }
    try write(files(of: study, takenAs: reader.taken))
    let readings = study.series.reduce(0) { $0 + $1.readings.count }
    let drinks = study.series.reduce(0) { $0 + $1.drinks.count }
    try output.print(
      .made(
        reader.taken,
        notes: [
          "\(folder): \(Set(study.series.map(\.subject.id)).count) subjects, \(study.series.count) series, "
            + "\(drinks) drinks, \(readings) readings; next: promille check \(folder)"
        ], provenance: try provenance(inputs: study.inputs)))
  }

  private func files(
    of study: Study, takenAs taken: [TakenColumn]
  ) throws -> [(name: String, text: String)] {
    try console.orEnd { () throws(StudyWritingError) in
      try StudyWriter.files(of: study, takenAs: taken)
    }
  }

  private func write(_ files: [(name: String, text: String)]) throws {
    try console.attempt(folder, "FOLDER") { try FolderOutput.write(files, to: folder) }
  }
}

extension Init: ResultWriting {
  var inputPaths: [String?] { [from] }
}
