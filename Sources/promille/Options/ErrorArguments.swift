import ArgumentParser
import Estimation
import Reporting

/// What is believed of the error of a reading.
struct ErrorArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      How the SD of a reading depends on the concentration c: additive, proportional, combined, or \
      instrument (resolution and accuracy stated by the study). SDs are estimated unless given: \
      additive:0.02 (g/kg), proportional:0.05 (of c), combined:0.01,0.05 (both). \
      (default: additive)
      """, valueName: "model"), transform: ErrorModelChoice.init(parsing:))
  var error = ErrorModelChoice.additive

  @Option(
    help: ArgumentHelp(
      """
      Correlation between errors of neighbouring readings: none, or exponential, exp(-dt/tau) for \
      readings dt apart. tau is estimated for each series unless given in min: exponential:60. \
      (default: none)
      """, valueName: "model"), transform: CorrelationChoice.init(parsing:))
  var correlation = CorrelationChoice.none

  @Option(
    help: """
      Loss function. linear uses squared residuals; the others give large residuals less weight, so \
      that a few bad readings do not spoil the fit.
      """)
  var loss = Loss.linear

  @Option(
    name: .customLong("loss-scale"),
    help: ArgumentHelp(
      "Size from which a residual counts as large, in residual SDs. (default: \(defaults))",
      valueName: "c"))
  var lossScale: Double?

  func validate() throws {
    guard let lossScale else { return }
    guard lossScale > 0, lossScale.isFinite else {
      throw ValidationError("--loss-scale is \(lossScale); it must be a positive number.")
    }
    guard loss != .linear else {
      throw ValidationError("--loss-scale has no effect with --loss linear; choose another loss.")
    }
  }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    [
      ("error", .string(error.description)),
      ("correlation", .string(correlation.description)),
      ("loss", .string(loss.rawValue)),
      ("loss_scale", loss == .linear ? .null : .number(lossScale ?? loss.defaultTuning)),
    ]
  }

  private static let defaults = Loss.allCases.filter { $0 != .linear }
    .map { "\($0.rawValue) \($0.defaultTuning)" }.joined(separator: ", ")
}
