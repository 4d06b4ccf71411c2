import ArgumentParser

/// The command: parses options, calls the library and prints what it says.
@main
struct Promille: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "promille",
    abstract: "Validate blood-alcohol models against measured people.",
    discussion: """
      A STUDY is a folder with subjects.csv, drinks.csv and readings.csv, a table of events in \
      NONMEM's form, a database made by promille import, or - for a table of events on standard \
      input. Results go to standard output, everything else to standard error.

      Exit codes: 0 fine; 1 finished, but some subject failed or some number drifted; 64 usage; 65 bad data; \
      66 no such input; 70 our fault; 73 cannot create output; 74 the disk failed, or a file was \
      written to while it was read; 75 somebody else holds the database, try again.

      Example: promille fit datasets/nacar-2021
      """,
    version: version,
    subcommands: [
      Check.self, Fit.self, Compare.self, Sober.self, Simulate.self, ReportCommand.self, Plot.self,
      Import.self, Export.self, Runs.self, Vitals.self, Regress.self, Bench.self, Explain.self,
    ])
}
