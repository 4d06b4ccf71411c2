import ArgumentParser
import Estimation

/// How a fit looks for the minimum.
struct SearchArguments: ParsableArguments {
  @Option(help: "Number of starting points per fit; the best minimum is reported.")
  var starts = StartDesign().count

  @Option(
    help: """
      What looks for minima: lanes (eight points at once; GNU GSL finishes what is reported) or gsl \
      (GNU GSL for everything, about ten times slower).
      """)
  var engine = FitOptions().engine

  func validate() throws {
    try require("--starts", starts, in: 1...10_000)
  }
}

/// Where the starting points lie.
struct StartArguments: ParsableArguments {
  @Option(help: "Sequence that spreads the starting points over the plausible parameter values.")
  var startDesign = StartDesign().sequence

  @Option(help: "Seed that shifts the starting points at random; 0 leaves them unshifted.")
  var startSeed = StartDesign().seed

  func starts(_ search: SearchArguments) -> StartDesign {
    StartDesign(count: search.starts, sequence: startDesign, seed: startSeed)
  }
}
