import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting
import StudyData

/// Which model is fitted, what of it is estimated and what is held fixed.
struct ModelArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Elimination of ethanol: \(EliminationModel.ratesInWords). all fits each with and without a lag "
        + "and ranks them by AICc."))
  var model = ModelChoice(.widmark)

  @Option(
    help: ArgumentHelp(
      "Parameters to estimate, separated by commas: \(FitParameter.names) (r is rho, the Widmark "
        + "factor; gain is a calibration factor). With --model all, only r and gain can be chosen. "
        + "Default: \(EliminationModel.estimatesInWords), without fixed parameters.",
      valueName: "names"), completion: .parameters, transform: NameList<FitParameter>.init(parsing:)
  )
  var estimate: NameList<FitParameter>?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Fix a parameter at a value: \(FitParameter.unitsInWords); may be repeated. (default: "
        + "k_a and beta by --food, \(FitParameter.usualValuesInWords), r from --r-factor)",
      valueName: "name=value"), completion: .assignedParameters,
    transform: FixedParameter.init(parsing:))
  var fix: [FixedParameter] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Restrict a parameter to a range, in the same units; may be repeated. (default: "
        + "\(FitParameter.boundsInWords))",
      valueName: "name=low:high"), completion: .assignedParameters,
    transform: BoundedParameter.init(parsing:))
  var bound: [BoundedParameter] = []

  @Option(
    help: ArgumentHelp(
      "Source of r, unless r is estimated or fixed: "
        + "\(RFactorName.inWords), column:NAME (r of each subject in a column of the study), "
        + "or a number in kg/kg.",
      valueName: "method"))
  var rFactor = RFactorName(Watson())

  func validate() throws {
    try fix.requireDifferent("--fix")
    try bound.requireDifferent("--bound")
  }

  /// What is estimated; unless it is named, what the model is about but for what is held fixed.
  var estimated: Set<FitParameter> {
    estimate.map { Set($0.parameters) } ?? model.model.defaultEstimate.subtracting(fixedValues.keys)
  }

  var fixedValues: [FitParameter: Double] { fix.byParameter() }
}

struct ModelChoice: TypedArgument, Equatable {
  /// Nil for all, with and without a lag, to choose between.
  private let one: EliminationModel?

  static let all = ModelChoice(nil)

  init(_ one: EliminationModel?) { self.one = one }

  init?(argument: String) {
    one = EliminationModel(rawValue: argument)
    guard one != nil || argument == "all" else { return nil }
  }

  static let allValueStrings = EliminationModel.allCases.map(\.rawValue) + ["all"]
  static let defaultCompletionKind = CompletionKind.list(allValueStrings)

  var text: String { one?.rawValue ?? "all" }

  /// The model of a single fit; of a choice between all, the one that the others are built from.
  var model: EliminationModel { one ?? .widmark }
}

/// A parameter of curves or of populations, which options name.
protocol NamedParameter: RawRepresentable<String>, Hashable, Comparable, Sendable {
  static var allNames: [String] { get }
  /// The value of a text on the command line, in the library's unit.
  func value(ofArgument text: some StringProtocol) throws -> Double
}

extension NamedParameter {
  /// All names, for help and messages.
  static var names: String { allNames.joined(separator: ", ") }

  /// The parameter with a name, in any of its spellings: ka, k_a, KA.
  init(argument name: some StringProtocol) throws {
    guard let parameter = Self(rawValue: String(name).parameterName) else {
      let near =
        String(name).parameterName.nearest(in: Self.allNames).map { " Did you mean \($0)?" } ?? ""
      throw ValidationError(
        "there is no parameter '\(name)'; choose from \(Self.names).\(near)")
    }
    self = parameter
  }
}

/// Names of parameters, separated by commas.
struct NameList<Parameter: NamedParameter>: TypedValue {
  let parameters: [Parameter]

  init(_ parameters: some Sequence<Parameter>) {
    self.parameters = Array(parameters)
  }

  init(parsing argument: String) throws {
    parameters = try argument.split(separator: ",", omittingEmptySubsequences: false)
      .map { try Parameter(argument: $0) }
    guard Set(parameters).count == parameters.count else {
      throw ValidationError("a parameter is named twice.")
    }
  }

  /// The names in the order of results.
  var text: String { parameters.sorted().map(\.rawValue).joined(separator: ",") }
}

extension FitParameter: NamedParameter {
  static let allNames = allCases.map(\.rawValue)

  /// What unit each has on the command line, as in "ka and ke in 1/h".
  static let unitsInWords: String = {
    let units = allCases.map(\.reportedUnit).filter { !$0.isEmpty }
    let different = units.indices.filter { units.firstIndex(of: units[$0]) == $0 }.map { units[$0] }
    return different.map { unit in
      let names = allCases.filter { $0.reportedUnit == unit }.map(\.rawValue)
      return names.joined(separator: " and ") + " in \(unit)"
    }.joined(separator: ", ")
  }()

  /// The default value at which each is held.
  static let usualValuesInWords = allCases.compactMap { parameter in
    parameter.traits.usualValue.map { FixedParameter(parameter, $0).text }
  }.joined(separator: ", ")

  /// What each is predicted with that has no option of its own.
  static let otherTypicalTexts: String = {
    let own = EliminationModel.allCases.flatMap { model in
      TypicalKinetics.fasted.values(
        of: model, for: nil, given: [.ka: 1, .beta: 1, .lag: 0, .gain: 1]
      )
      .filter { ![.ka, .beta, .lag, .gain].contains($0.key) }
    }
    return own.sorted { $0.key < $1.key }.map { FixedParameter($0.key, $0.value).text }
      .joined(separator: ", ") + "; lag by --food unless --ka is given"
  }()

  /// What it is predicted with, and held at in fits, by what was eaten.
  var typicalTexts: String {
    [TypicalKinetics.fasted, .fed].map { typical in
      let values = Sex.allCases.compactMap {
        typical.values(of: .widmark, for: $0)[self].map {
          NumberStyle.exact(($0 * 1e4).rounded() / 1e4)
        }
      }
      let texts = values.first == values.last ? values.prefix(1) : values[...]
      return "\(typical.rawValue) " + texts.joined(separator: " or ")
    }.joined(separator: ", ") + ", nacar-2021 "
      + (TypicalKinetics.nacar2021.values(of: .widmark, for: nil)[self].map(NumberStyle.exact) ?? "")
  }

  /// The range in which each is looked for by default.
  static let boundsInWords = allCases.map { parameter in
    let bounds = parameter.defaultBounds
    return
      "\(parameter.rawValue)=\(parameter.text(bounds.lowerBound)):\(parameter.text(bounds.upperBound))"
  }.joined(separator: ", ")

  func value(ofArgument text: some StringProtocol) throws -> Double {
    guard let value = Double(text), allows(value) else {
      let wanted =
        switch (traits.isTime, traits.canBeZero) {
        case (true, _): "a number of min, 0 or more"
        case (false, true): "0 or a positive number"
        case (false, false): "a positive number"
        }
      throw ValidationError("'\(text)' is not a value of \(rawValue); it must be \(wanted).")
    }
    return self.value(reported: value)
  }

  /// A value as the command line has it.
  fileprivate func text(_ value: Double) -> String { NumberStyle.exact(reportedValue(value)) }
}

extension String {
  /// The name that the parameter has here which is written so in books and other programs: without its case and
  /// underscores, and from Greek letters.
  var parameterName: String {
    let word = lowercased().filter { $0 != "_" && $0 != "-" }
    let others = [
      "\u{3B2}": "beta", "rho": "r", "\u{3C1}": "r", "tlag": "lag", "alag": "lag",
      "vm": "vmax", "beta60": "beta",
    ]
    return others[word] ?? word
  }
}

extension CompletionKind {
  static var parameters: CompletionKind { .list(FitParameter.allNames) }
  /// Completions for NAME=VALUE: the names of parameters.
  static var assignedParameters: CompletionKind {
    .list(FitParameter.allNames.map { $0 + "=" })
  }
}

extension EliminationModel {
  /// How ethanol is eliminated by each model, for help.
  static let ratesInWords = allCases.map { "\($0.rawValue) \($0.kinetics.rate)" }
    .joined(separator: ", ")

  /// What is estimated of each model by default.
  static let estimatesInWords = allCases.map { model in
    let names = model.defaultEstimate.sorted().map(\.rawValue).joined(separator: ",")
    return model == .widmark ? names : "\(model.rawValue) \(names)"
  }.joined(separator: "; ")
}

/// What is stated of a parameter, as `NAME=VALUE`: a number, or a range as `NAME=LOW:HIGH`.
struct Assignment<Parameter: NamedParameter, Value: Sendable>: TypedValue, Sendable {
  let parameter: Parameter
  /// In the library's unit.
  let value: Value
  let text: String
}

typealias FixedParameter = Assignment<FitParameter, Double>
typealias BoundedParameter = Assignment<FitParameter, ClosedRange<Double>>

extension Assignment {
  /// The parameter, and what stands behind the equals sign.
  static func parts(_ argument: String, form: String) throws -> (Parameter, Substring) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw ValidationError("it must be \(form).") }
    return (try Parameter(argument: parts[0]), parts[1])
  }
}

extension Assignment<FitParameter, Double> {
  init(parsing argument: String) throws {
    try self.init(parsing: argument, form: "NAME=VALUE, for example ka=18")
  }

  /// - Parameter value: The value in the library's unit.
  init(_ parameter: FitParameter, _ value: Double) {
    self.init(
      parameter: parameter, value: value,
      text: "\(parameter.rawValue)=\(parameter.text(value))")
  }
}

extension Assignment where Value == Double {
  /// - Parameter form: How it is written, for the message.
  init(parsing argument: String, form: String) throws {
    let (parameter, text) = try Self.parts(argument, form: form)
    self.init(
      parameter: parameter, value: try parameter.value(ofArgument: text),
      text: "\(parameter.rawValue)=\(text)")
  }
}

extension Assignment where Value == ClosedRange<Double> {
  private static var usualForm: String { "NAME=LOW:HIGH, for example ka=0.5:30" }

  init(parsing argument: String) throws {
    try self.init(parsing: argument, form: Self.usualForm)
  }

  /// - Parameter form: How it is written, for the message where nothing is behind a name.
  init(parsing argument: String, form: String) throws {
    let (parameter, range) = try Self.parts(argument, form: form)
    let ends = range.split(separator: ":", omittingEmptySubsequences: false)
    guard ends.count == 2 else { throw ValidationError("it must be \(Self.usualForm).") }
    let low = try parameter.value(ofArgument: ends[0])
    let high = try parameter.value(ofArgument: ends[1])
    guard low < high else { throw ValidationError("\(ends[0]) is not below \(ends[1]).") }
    self.init(parameter: parameter, value: low...high, text: argument)
  }
}

extension Sequence {
  /// What is stated of each parameter.
  func byParameter<Parameter, Value>() -> [Parameter: Value]
  where Element == Assignment<Parameter, Value> {
    Dictionary(map { ($0.parameter, $0.value) }) { first, _ in first }
  }

  /// Refuses an option that is repeated for one parameter.
  func requireDifferent<Parameter, Value>(_ option: String) throws
  where Element == Assignment<Parameter, Value> {
    try requireDifferent(option, \.parameter.rawValue)
  }
}
