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
    abstract: "Write a study in another form, or its results with a notebook.",
    discussion: """
      --to nonmem writes one table of events as NONMEM reads it: ID, TIME in h, AMT in g, DV, EVID, \
      MDV, and what else the study needs. Subjects, drinks and readings come back from it to the \
      last digit; title and instrument are not part of it.

      --notebook writes a folder: what check, fit, compare and sober say as CSV and JSON, the \
      residuals, the curves minute by minute, and a Jupyter notebook that reads them with pandas and \
      draws the main figures with matplotlib. It takes the options of the fit and the prediction, \
      and ends with 1 if some subject could not be fitted.

      Examples:
        promille export datasets/nacar-2021 --to nonmem -o nacar.csv
        promille export datasets/nacar-2021 --notebook --estimate ka,beta,r -o results
      """)

  @OptionGroup var input: StudyOptions

  @Option(help: "What to write the study as.")
  var to: Form?

  @Flag(help: "Write results and a notebook into the folder that -o names.")
  var notebook = false

  @OptionGroup(title: "Output") var output: FileOptions
  @OptionGroup var results: NotebookArguments

  func validate() throws {
    guard (to != nil) != notebook else {
      throw ValidationError("Say what to write: --to with a form, or --notebook.")
    }
    guard !notebook || output.output != nil else {
      throw ValidationError("--notebook writes several files; name a folder with -o.")
    }
    if notebook { try results.check() }
  }

  func run() throws {
    let study = try input.read(output.console)
    switch to {
    case .nonmem: try output.write(try events(of: study))
    case nil: try results.write(study, from: input, to: output)
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
