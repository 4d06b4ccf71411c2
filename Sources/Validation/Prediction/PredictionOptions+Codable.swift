import AlcoholKinetics
public import Estimation
import StudyData

/// Results carry options under the names, and in the units, in which people state them.
extension PredictionOptions: Codable, NamedOptions {
  package var members: OptionMembers {
    let names = methods.map(\.name)
    let areUsual = names == RFactorMethods.all().map(\.name)
    let values = commonValues
    let others = values.filter { $0.key != .ka && $0.key != .beta }.sorted { $0.key < $1.key }
    let source: (name: String, starts: Int?) =
      switch parameters {
      case .given: ("given", nil)
      case .fitted(let starts): ("fitted", starts)
      case .leftOut(let starts): ("left-out", starts)
      }
    let ownMembers: OptionMembers = [
      ("model", model), ("methods", areUsual ? "all" : names.joined(separator: ",")),
      ("models", models), ("parameters", source.name), ("starts", source.starts),
      ("threshold_g_per_kg", threshold?.value), ("ka_per_h", values[.ka]),
      ("beta_g_per_kg_h", values[.beta]),
      ("predict_with", others.map { StatedValue($0.key, $0.value) }), ("engine", engine),
    ]
    return Self.shared(typical, methods, selection, factors) + ownMembers
  }

  /// Encodes the options, with the values of parameters that are the same for everybody.
  public func encode(to encoder: any Encoder) throws { try encodeMembers(to: encoder) }

  /// Decodes options; missing ones have their default.
  public init(from decoder: any Decoder) throws {
    let reader = try OptionReader(decoder)
    let names = try reader.value("methods", "all")
    let starts = try reader.value("starts", StartDesign.defaultCount)
    let parameters: PredictionParameters
    switch try reader.value("parameters", "given") {
    case "fitted": parameters = .fitted(starts: starts)
    case "left-out": parameters = .leftOut(starts: starts)
    default:
      var values = try reader.value("predict_with", [StatedValue<FitParameter>]()).byParameter()
      values[.ka] = try reader.value("ka_per_h")
      values[.beta] = try reader.value("beta_g_per_kg_h")
      parameters = .given(values)
    }
    self.init(
      parameters: parameters, typical: try reader.typical,
      methods: names == "all"
        ? RFactorMethods.all(bloodWater: try reader.water)
        : try names.split(separator: ",").map { try reader.method(String($0)) },
      models: try reader.value("models", []), threshold: try reader.value("threshold_g_per_kg"),
      selection: try reader.selection, factors: try reader.factors,
      model: try reader.value("model", .widmark), engine: try reader.value("engine", .lanes))
  }

  /// Values common to both sexes and any food intake; empty if fits give the parameters.
  private var commonValues: [FitParameter: Double] {
    guard case .given(let given) = parameters else { return [:] }
    let kinds = typical.map { [$0] } ?? [.fasted, .fed]
    let all = kinds.flatMap { kind in
      Sex.allCases.map { kind.values(of: model, for: $0, given: given) }
    }
    return (all.first ?? [:]).filter { parameter, value in
      parameter != .gain && all.allSatisfy { $0[parameter] == value }
    }
  }

  /// Refuses options that ask for something impossible, whatever the study is.
  ///
  /// - Throws: `SeriesFailure.badOptions`.
  public func check() throws(SeriesFailure) {
    if case .given(let values) = parameters {
      for parameter in values.keys.sorted() where !model.parameters.contains(parameter) {
        throw .badOptions("The \(model.rawValue) model has no \(parameter.rawValue).")
      }
    }
    for (index, name) in models.enumerated() {
      guard !models[..<index].contains(name) else {
        throw .badOptions(
          "--predictions names two models \(name.quoted). Write --predictions \"NAME=FILE\" with different names."
        )
      }
      guard !methods.contains(where: { $0.name == name }) else {
        throw .badOptions(
          "\(name) is an r-factor method. Give the model of --predictions another name: \"NAME=FILE\"."
        )
      }
    }
  }

  /// The given options that have no effect in combination with the others.
  public func unused(given: Set<String>) -> [IneffectiveOptions] { unused.among(given) }

  /// All options that would have no effect.
  package var unused: [IneffectiveOptions] {
    var isGiven: Bool { if case .given = parameters { true } else { false } }
    return [
      IneffectiveOptions(
        ["starts", "engine"], if: isGiven,
        "because nothing is fitted; it is for --parameters fitted or left-out"),
      selection.unused,
    ].compactMap(\.self)
  }
}
