import AlcoholKinetics
import ArgumentParser
import Reporting
import Validation

/// What curves are predicted with, apart from r.
struct PredictionSource: ParsableArguments {
  /// Where k_a and beta come from.
  enum Parameters: String, CaseIterable, ExpressibleByArgument {
    /// `--ka` and `--beta`.
    case given
    /// Each subject's own fit.
    case fitted
    /// The median of all other subjects' fits.
    case leftOut = "left-out"
  }

  @Option(
    help: """
      Take k_a and beta as given by --ka and --beta, as fitted to the same readings for each r (how \
      well they can be met with that r, no prediction), or as the median of all other subjects' fits \
      (what could have been predicted).
      """)
  var parameters = Parameters.given

  @OptionGroup var kinetics: KineticOptions

  @Option(help: "Concentration in g/kg at or below which somebody counts as sober.")
  var threshold = 0.0

  func validate() throws {
    guard parameters == .given || kinetics.areDefaults else {
      throw ValidationError(
        "--ka and --beta are those of --parameters given, not of \(parameters.rawValue); leave them "
          + "out.")
    }
    guard threshold >= 0, threshold.isFinite else {
      throw ValidationError("--threshold is \(threshold); it must be 0 or more.")
    }
  }

  /// The options as the library takes them.
  func options(
    methods: [any RFactorMethod], starts: Int, selection: ReadingSelection,
    factors: ConversionFactors
  ) -> PredictionOptions {
    PredictionOptions(
      parameters: source(starts: starts), methods: methods,
      threshold: GramsPerKilogram(threshold), selection: selection, factors: factors)
  }

  private func source(starts: Int) -> PredictionParameters {
    switch parameters {
    case .given: .given(ka: kinetics.ka, beta: kinetics.beta)
    case .fitted: .fitted(starts: starts)
    case .leftOut: .leftOut(starts: starts)
    }
  }

  /// The options as results carry them, but for those of k_a and beta.
  var values: [(name: String, value: JSONValue)] {
    [
      ("parameters", .string(parameters.rawValue)),
      ("threshold_g_per_kg", .number(threshold)),
    ]
  }
}
