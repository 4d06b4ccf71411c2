import ArgumentParser
import StudyData

/// `promille export`
struct Export: ParsableCommand {
  /// What a study can be written as.
  enum Form: String, CaseIterable, ExpressibleByArgument {
    /// A table of events.
    case nonmem
  }

  static let configuration = CommandConfiguration(
    abstract: "Write a study in another form.",
    discussion: """
      --to nonmem writes one table of events as NONMEM reads it: ID, TIME in h, AMT in g, DV, EVID, \
      MDV, and what else the study needs. Subjects, drinks and readings come back from it to the \
      last digit; title and instrument are not part of it.

      Example: promille export datasets/nacar-2021 --to nonmem -o nacar.csv
      """)

  @OptionGroup var input: StudyOptions

  @Option(help: "What to write the study as.")
  var to: Form

  @OptionGroup(title: "Output") var output: FileOptions

  func run() throws {
    let study = try input.read(output.console)
    switch to {
    case .nonmem: try output.write(try events(of: study))
    }
  }

  private func events(of study: Study) throws -> String {
    do throws(EventWriter.Failure) {
      return try EventWriter.csv(study)
    } catch {
      output.console.error("promille: error E_EXPORT: \(error)")
      throw ExitStatus.badData
    }
  }
}
