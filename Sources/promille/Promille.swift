import ArgumentParser

/// The command: parses options, calls the library and prints what it says.
@main
struct Promille: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "promille",
    abstract: "Validate blood-alcohol models against measured people.",
    discussion: """
      STUDY is a folder with subjects.csv, drinks.csv and readings.csv; a table of events in NONMEM's \
      layout; a database made by promille import; or - to read a table of events from standard \
      input. Results go to standard output, everything else to standard error.

      Exit codes: 0 success; 1 finished, but a subject failed or a number drifted; 64 usage error; \
      65 bad data; 66 input not found; 70 internal error; 73 cannot create output; 74 I/O error, or \
      an input changed while it was read; 75 database locked.

      Example: promille fit datasets/nacar-2021
      """,
    version: version,
    subcommands: [
      Check.self, Fit.self, Compare.self, Sober.self, Simulate.self, ReportCommand.self, Plot.self,
      Import.self, Export.self, Runs.self, Vitals.self, Regress.self, Bench.self, Explain.self,
    ])
}
