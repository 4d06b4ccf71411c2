import AlcoholKinetics
import ArgumentParser
import Estimation

struct ErrorArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How the SD of a reading depends on the concentration c: \(ErrorModelChoice.names). SDs are "
        + "estimated unless given: \(ErrorModelChoice.examples). (default: additive)",
      valueName: "model"), transform: ErrorModelChoice.init(parsing:))
  var error = ErrorModelChoice.additive

  @Option(
    help: ArgumentHelp(
      """
      Correlation between errors of neighbouring readings: none, or exponential, exp(-dt/tau) for \
      readings dt apart. tau is estimated unless given in min: exponential:60. (default: none)
      """, valueName: "model"), transform: CorrelationChoice.init(parsing:))
  var correlation = CorrelationChoice.none

  @Option(
    help: """
      Whose readings estimate a proportional or combined error and tau: those of the study together (its \
      first 100 series; from 5 on, and not from standard input), or of each subject alone. The SD of \
      additive errors is always each subject's own.
      """)
  var errorFrom = FitOptions().errorSource

  @Option(
    help: """
      Loss function. linear uses squared residuals; the others give large residuals less weight, so \
      that a few bad readings do not spoil the fit.
      """)
  var loss = FitOptions().loss

  @Option(
    help: ArgumentHelp(
      "Size from which a residual counts as large, in residual SDs. (default: \(defaults))",
      valueName: "c"))
  var lossScale: Double?

  func validate() throws {
    try requirePositive("--loss-scale", lossScale)
    try require(
      lossScale == nil || loss != .linear,
      "--loss-scale has no effect with --loss linear; choose another loss.")
  }

  /// Fills in the usual scale of the loss; squares have none.
  mutating func fillIn() {
    if loss != .linear { lossScale = lossScale ?? loss.defaultTuning }
  }

  private static let defaults = Loss.allCases.filter { $0 != .linear }
    .map { "\($0.rawValue) \($0.defaultTuning)" }.joined(separator: ", ")
}

/// An error model by name, its parameters behind a colon if they are not to be estimated.
struct ErrorModelChoice: TypedValue {
  let model: ErrorModel
  let text: String

  /// Errors of one size, which is estimated.
  static let additive = ErrorModelChoice(.additive(sd: nil))

  private init(_ model: ErrorModel) {
    self.model = model
    text = model.name
  }

  /// Additive errors of a known size.
  init(sd: Double) {
    model = .additive(sd: sd)
    text = "additive:\(sd)"
  }

  init(parsing argument: String) throws {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let values = try parts.dropFirst().flatMap(Self.values)
    guard let model = ErrorModel.allCases.first(where: { $0.name == parts[0] }) else {
      let names = ErrorModel.allCases.map(\.name)
      throw ValidationError(
        "choose \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "").")
    }
    guard values.isEmpty || values.count == model.parameters.count else {
      throw ValidationError(
        "\(Self.forms(of: 1)) take one value, \(Self.forms(of: 2)) two, \(Self.forms(of: 0)) none.")
    }
    var given = ObservationModel(sd: 0, cv: 0)
    for (parameter, value) in zip(model.parameters, values) { given[parameter] = value }
    self.model = values.isEmpty ? model : model.with(given)
    text = argument
  }

  /// All models, as help lists them.
  static let names = {
    let names = ErrorModel.allCases.map { model in
      model.parameters.isEmpty ? "\(model.name) (\(model.words))" : model.name
    }
    return names.dropLast().joined(separator: ", ") + ", or " + (names.last ?? "")
  }()

  /// The models with parameters that are given.
  static let examples = ErrorModel.allCases.filter { !$0.parameters.isEmpty }.map(\.words)
    .joined(separator: ", ")

  /// How models of so many parameters are written.
  private static func forms(of count: Int) -> String {
    ErrorModel.allCases.filter { $0.parameters.count == count }.map { model in
      let values = model.parameters.map { $0.rawValue.uppercased() }.joined(separator: ",")
      return values.isEmpty ? model.name : "\(model.name):\(values)"
    }.joined(separator: " and ")
  }

  private static func values(_ list: Substring) throws -> [Double] {
    try list.split(separator: ",", omittingEmptySubsequences: false).map { text in
      guard let value = Double(text), value > 0, value.isFinite else {
        throw ValidationError("'\(text)' is not a positive number.")
      }
      return value
    }
  }
}

/// Whether the errors of neighbouring readings are correlated, by name, the time constant behind a colon
/// if it is not to be estimated.
struct CorrelationChoice: TypedValue {
  let correlation: ErrorCorrelation
  let text: String

  /// Each error for itself.
  static let none = CorrelationChoice()

  private init() {
    correlation = .independent
    text = correlation.name
  }

  init(parsing argument: String) throws {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("none", 1): correlation = .independent
    case ("exponential", 1): correlation = .exponential(time: nil)
    case ("exponential", _):
      guard let minutes = Double(parts[1]), minutes > 0, minutes.isFinite else {
        throw ValidationError("'\(parts[1])' is not a positive number of minutes.")
      }
      correlation = .exponential(time: Hours(minutes: minutes))
    default:
      throw ValidationError("choose none, exponential, or exponential:MIN.")
    }
    text = argument
  }
}
