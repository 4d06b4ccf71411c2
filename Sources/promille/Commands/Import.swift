import AlcoholKinetics
import ArgumentParser
import Foundation
import Reporting
import StudyData
import StudyStore

/// `promille import`
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring a study into a database; again, only what is new or changed.",
    discussion: """
      Adds to the database what it has not, updates what changed, keeping the old value in the \
      table changes, and says how many of each. Nothing is ever removed. All of it is one \
      transaction: if it ends early, the database is as it was.

      Ends with 1 if the data of some subject have errors: they are brought in with what is wrong \
      with them, and come to no result until they are mended.

      Examples:
        promille import datasets/nacar-2021 --into study.sqlite
        promille import STUDY --into study.sqlite --types readings --from 0 --to 240
      """)

  @OptionGroup var input: StudyOptions

  @Option(
    help: ArgumentHelp("The database; it is made if it is not there.", valueName: "database"))
  var into: String

  @OptionGroup(title: "Selection") var selection: SelectionArguments
  @OptionGroup(title: "Output") var output: OutputOptions

  func run() throws {
    let study = try input.read(output.console)
    let started = ContinuousClock.now
    let counts = try changing { store in
      try store.add(study, from: input.study, selection: selection.selection)
    }
    output.console.tellTime(
      "wrote \(counts.total.added) records", since: started)
    try output.print(.imported(counts, provenance: provenance(inputs: study.inputs)))
    try output.endIfFailed(
      study.series.count { $0.firstError != nil }, of: study.series.count)
  }

  private func changing<Value>(_ body: (StudyStore) throws -> Value) throws -> Value {
    do {
      return try StudyStore.change(into, body)
    } catch let error as StoreError {
      throw output.console.end(error)
    }
  }

  private func provenance(inputs: [InputDigest]) -> Provenance {
    input.provenance(
      "import", inputs: inputs, factors: ConversionFactors(),
      options: [("into", .string(into))] + selection.values)
  }
}
