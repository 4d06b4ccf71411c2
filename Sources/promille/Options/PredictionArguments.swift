import AlcoholKinetics
import ArgumentParser
import Reporting
import Validation

/// How curves are predicted: r by one method or all, k_a and beta given or from fits.
struct PredictionArguments: ParsableArguments {
  /// Where k_a and beta come from.
  enum Parameters: String, CaseIterable, ExpressibleByArgument {
    /// `--ka` and `--beta`.
    case given
    /// Each subject's own fit.
    case fitted
    /// The mean of all other subjects' fits.
    case leftOut = "left-out"
  }

  @Option(
    name: .customLong("r-factor"),
    help: ArgumentHelp(
      "Where r comes from: \(RFactorName.names.joined(separator: ", ")) or a number in kg/kg, "
        + "several separated by commas, or all, which are the first five.",
      valueName: "methods"))
  var rFactor = RFactorChoice.all

  @OptionGroup var bloodWater: BloodWaterOption

  @Option(
    help: """
      Take k_a and beta as given by --ka and --beta, as fitted to each subject, or as the mean of \
      all other subjects' fits.
      """)
  var parameters = Parameters.given

  @OptionGroup var kinetics: KineticOptions

  @Option(help: "Concentration in g/kg at or below which somebody counts as sober.")
  var threshold = 0.0

  @OptionGroup var search: SearchArguments

  func validate() throws {
    guard threshold >= 0, threshold.isFinite else {
      throw ValidationError("--threshold is \(threshold); it must be 0 or more.")
    }
  }

  /// The r-factor methods that were asked for.
  var methods: [any RFactorMethod] { rFactor.methods(bloodWater.bloodWater) }

  /// The options as the library takes them.
  func options(_ factors: ConversionFactors) -> PredictionOptions {
    PredictionOptions(
      parameters: source,
      methods: methods,
      threshold: GramsPerKilogram(threshold),
      factors: factors)
  }

  private var source: PredictionParameters {
    switch parameters {
    case .given: .given(ka: kinetics.ka, beta: kinetics.beta)
    case .fitted: .fitted(starts: search.starts)
    case .leftOut: .leftOut(starts: search.starts)
    }
  }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    [
      ("r_factor", .string(rFactor.text)),
      ("parameters", .string(parameters.rawValue)),
      ("threshold_g_per_kg", .number(threshold)),
    ] + bloodWater.values + kinetics.values + search.values
  }
}
