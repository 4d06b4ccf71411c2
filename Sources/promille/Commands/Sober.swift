import AlcoholKinetics
import ArgumentParser
import Reporting
import StudyData
import Validation

/// `promille sober`
struct Sober: ParsableCommand {
  /// Where k_a and beta come from.
  enum Parameters: String, CaseIterable, ExpressibleByArgument {
    /// `--ka` and `--beta`.
    case given
    /// Each subject's own fit.
    case fitted
  }

  static let configuration = CommandConfiguration(
    abstract: "Compare predicted and measured time to sobriety, in minutes and percent.",
    discussion: """
      Times count from the first drink. Measured is the first reading at or below the threshold \
      after which all are; the true time lies between the last reading above and that one. Errors \
      are predicted minus measured. Ends with 1 if some prediction failed.

      Example: promille sober datasets/nacar-2021 --ka 18 --beta 0.15 --r-factor all
      """)

  @OptionGroup var input: StudyOptions

  @Option(
    name: .customLong("r-factor"),
    help: ArgumentHelp(
      "Where r comes from: \(RFactorName.names.joined(separator: ", ")), a number in kg/kg, "
        + "or all.",
      valueName: "method"))
  var rFactor = RFactorChoice.all

  @OptionGroup var bloodWater: BloodWaterOption

  @Option(help: "Take k_a and beta as given by --ka and --beta, or fitted to each subject.")
  var parameters = Parameters.given

  @OptionGroup var kinetics: KineticOptions

  @Option(help: "Concentration in g/kg at or below which somebody counts as sober.")
  var threshold = 0.0

  @Option(help: "Number of starting points of each fit, with --parameters fitted.")
  var starts = FitOptions.defaultStarts

  @Option(
    help: ArgumentHelp(
      "Score the curves in FILE, in the form of readings.csv, instead of predicting any.",
      valueName: "file"))
  var predictions: String?

  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try validateStarts(starts)
    guard threshold >= 0, threshold.isFinite else {
      throw ValidationError("--threshold is \(threshold); it must be 0 or more.")
    }
  }

  func run() throws {
    let study = try input.read(output.console)
    let scorer = try SobrietyScorer(options: options)
    let curves = try predictions.map { try input.read(output.console, readingsFrom: $0) }
    let scores = curves.map { scorer.scores(of: $0, against: study) } ?? scorer.scores(of: study)
    let inputs = study.inputs + (curves?.inputs.filter { $0.file == predictions } ?? [])
    let provenance = input.provenance(
      "sober", inputs: inputs, factors: conversion.factors, options: optionValues)
    try output.print(.sobriety(scores, options: options, provenance: provenance))
    if scores.contains(where: { $0.status == .failed }) {
      throw ExitStatus.someFailed
    }
  }

  private var options: SobrietyOptions {
    SobrietyOptions(
      parameters: parameters == .fitted
        ? .fitted(starts: starts) : .given(ka: kinetics.ka, beta: kinetics.beta),
      methods: rFactor.methods(bloodWater.bloodWater),
      threshold: GramsPerKilogram(threshold),
      factors: conversion.factors)
  }

  private var optionValues: [(name: String, value: JSONValue)] {
    [
      ("r_factor", .array(options.methods.map { .string($0.name) })),
      ("blood_water", .number(bloodWater.content)),
      ("parameters", .string(parameters.rawValue)),
      ("ka_per_h", .number(kinetics.kaPerHour)),
      ("beta_g_per_kg_h", .number(kinetics.betaGramsPerKilogramHour)),
      ("threshold_g_per_kg", .number(threshold)),
      ("starts", .integer(starts)),
      ("predictions", predictions.map(JSONValue.string) ?? .null),
    ]
  }
}
