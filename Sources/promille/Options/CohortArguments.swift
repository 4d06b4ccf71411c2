import AlcoholKinetics
import ArgumentParser
import Certification

/// A cohort to make up.
struct CohortArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Generate a cohort of N subjects.", valueName: "n"))
  var cohort: Int?

  @Option(help: "Seed of the cohort; equal seeds give equal files.")
  var seed: UInt64 = 1

  @Option(help: "Number of readings per subject.")
  var readings = 25

  @Option(
    help: ArgumentHelp("Standard deviation of a reading in g/kg.", valueName: "g/kg"))
  var noise = 0.02

  @Option(
    help: ArgumentHelp(
      "Limit of detection in g/kg; lower readings are written as 0. (default: none)",
      valueName: "g/kg"))
  var lod: Double?

  @Option(
    name: .customLong("r-spread"),
    help: "SD of log r around Watson's r; 0 gives every subject Watson's r.")
  var spreadOfR = 0.05

  func validate() throws {
    if let cohort, !(1...100_000_000).contains(cohort) {
      throw ValidationError("--cohort is \(cohort); it must be from 1 to 100000000.")
    }
    guard (0...1_000_000).contains(readings) else {
      throw ValidationError("--readings is \(readings); it must be from 0 to 1000000.")
    }
    for (name, value) in [("--noise", noise), ("--lod", lod ?? 0), ("--r-spread", spreadOfR)]
    where !(0...10).contains(value) {
      throw ValidationError("\(name) is \(value); it must be from 0 to 10.")
    }
  }

  /// The cohort as the library takes it.
  func design(
    of subjects: Int, every: Hours, _ model: EliminationModel
  ) -> CohortDesign {
    CohortDesign(
      subjects: subjects, seed: seed, readings: readings, every: every,
      noise: GramsPerKilogram(noise), limitOfDetection: lod.map { GramsPerKilogram($0) },
      spreadOfR: spreadOfR, model: model)
  }
}
