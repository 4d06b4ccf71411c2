import ArgumentParser
import Estimation
import Reporting

/// What is believed of the error of a reading.
struct ErrorArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      How the SD of a reading depends on the concentration c: additive, proportional, combined, or \
      instrument (resolution and accuracy that the study states). SDs are estimated unless given: \
      additive:0.02 (g/kg), proportional:0.05 (of c), combined:0.01,0.05 (both). \
      (default: additive)
      """, valueName: "model"), transform: ErrorModelChoice.init(parsing:))
  var error = ErrorModelChoice.additive

  @Option(
    help: ArgumentHelp(
      """
      Whether errors of neighbouring readings are correlated: none, or exponential, by exp(-dt/tau) \
      for readings dt apart. Tau is estimated for each series unless given in min: exponential:60. \
      (default: none)
      """, valueName: "model"), transform: CorrelationChoice.init(parsing:))
  var correlation = CorrelationChoice.none

  @Option(
    help: """
      What a residual costs: its square (linear), or less where it is large, so that a few bad \
      readings do not spoil a fit.
      """)
  var loss = Loss.linear

  @Option(
    name: .customLong("loss-scale"),
    help: ArgumentHelp(
      "Where a residual begins to count as large, in residual SDs. (default: \(defaults))",
      valueName: "c"))
  var lossScale: Double?

  func validate() throws {
    guard let lossScale else { return }
    guard lossScale > 0, lossScale.isFinite else {
      throw ValidationError("--loss-scale is \(lossScale); it must be a positive number.")
    }
    guard loss != .linear else {
      throw ValidationError("--loss-scale says nothing about --loss linear; choose another loss.")
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
