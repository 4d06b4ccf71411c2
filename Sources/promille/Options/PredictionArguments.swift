import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting
import Validation

/// How curves are predicted: r by one method or all, k_a and beta given or from fits.
struct PredictionArguments {
  let method: MethodOption
  let source: PredictionSource
  let search: SearchArguments
  let readings: ReadingArguments

  /// The r-factor methods that were asked for.
  var methods: [any RFactorMethod] { method.methods }

  /// Whether it says how to predict, other than unless told.
  var isGiven: Bool {
    source.parameters != .given || !source.kinetics.areDefaults || method.model != .widmark
      || method.rFactor.text != RFactorChoice.all.text
  }

  /// Refuses values that the model does not have, and a model whose values are missing.
  func check() throws {
    if source.parameters == .given { try source.kinetics.check(method.model) }
  }

  /// The options as the library takes them.
  func options(_ factors: ConversionFactors) -> PredictionOptions {
    source.options(
      of: method.model, methods: methods, starts: search.starts,
      selection: readings.selection(.linear),
      factors: factors)
  }

  /// The options as results carry them.
  ///
  /// - Parameter thresholds: Those that subjects counted as sober by.
  func values(_ thresholds: [SobrietyThreshold]) -> [(name: String, value: JSONValue)] {
    [("model", .string(method.model.rawValue)), ("r_factor", .string(method.rFactor.text))]
      + source.values(thresholds)
      + method.bloodWater.values
      + source.kinetics.values(of: method.model) + search.values + readings.values(.linear)
  }
}

/// What curves are predicted with, apart from r.
struct PredictionSource: ParsableArguments {
  /// Where k_a and beta come from.
  enum Parameters: String, CaseIterable, ExpressibleByArgument {
    /// `--ka`, `--beta` and `--predict-with`.
    case given
    /// Each subject's own fit.
    case fitted
    /// The median of all other subjects' fits.
    case leftOut = "left-out"
  }

  @Option(
    help: """
      Source of k_a and beta, or of the parameters of --model: given (--ka, --beta and \
      --predict-with); fitted (to the same readings, for each r: the best agreement possible with \
      that r, not a prediction); or left-out (median of all other subjects' fits: a true prediction).
      """)
  var parameters = Parameters.given

  @OptionGroup var kinetics: KineticOptions

  @Option(
    help: ArgumentHelp(
      """
      Concentration in g/kg at or below which a subject counts as sober. (default: the instrument's \
      limit of detection, else its resolution, else 0.1)
      """, valueName: "g/kg"))
  var threshold: Double?

  func validate() throws {
    guard parameters == .given || kinetics.areDefaults else {
      throw ValidationError(
        "--ka, --beta and --predict-with go with --parameters given, not \(parameters.rawValue); "
          + "leave them out.")
    }
    if let threshold, !(threshold >= 0 && threshold.isFinite) {
      throw ValidationError("--threshold is \(threshold); it must be 0 or more.")
    }
  }

  /// The options as the library takes them.
  func options(
    of model: EliminationModel, methods: [any RFactorMethod], starts: Int,
    selection: ReadingSelection,
    factors: ConversionFactors
  ) -> PredictionOptions {
    PredictionOptions(
      parameters: source(starts: starts), methods: methods,
      threshold: threshold.map { GramsPerKilogram($0) }, selection: selection, factors: factors,
      model: model)
  }

  private func source(starts: Int) -> PredictionParameters {
    switch parameters {
    case .given: .given(kinetics.values)
    case .fitted: .fitted(starts: starts)
    case .leftOut: .leftOut(starts: starts)
    }
  }

  /// The options as results carry them, but for those of k_a and beta.
  ///
  /// - Parameter used: The thresholds that subjects counted as sober by; empty if none was needed.
  func values(_ used: [SobrietyThreshold]) -> [(name: String, value: JSONValue)] {
    let given = threshold.map(JSONValue.number) ?? .null
    return [
      ("parameters", .string(parameters.rawValue)),
      (
        "threshold_g_per_kg",
        Self.oneOrAll(used.map(\.concentration.value), JSONValue.number) ?? given
      ),
      ("threshold_from", Self.oneOrAll(used.map(\.origin.rawValue), JSONValue.string) ?? .null),
    ]
  }

  /// What all have in common, else the list of them; nil without any.
  private static func oneOrAll<Value: Hashable & Comparable>(
    _ values: [Value], _ json: (Value) -> JSONValue
  ) -> JSONValue? {
    let different = Set(values).sorted().map(json)
    return different.count > 1 ? .array(different) : different.first
  }
}
