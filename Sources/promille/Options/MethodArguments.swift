public import AlcoholKinetics
public import ArgumentParser
public import Estimation
import Reporting
import Validation

/// Which r-factor methods are compared beside a fit, and what they predict with.
struct MethodArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "r factors (rho, Widmark factors) to compare: names as for --r-factor, separated by commas, or "
        + "all (the first five).",
      valueName: "names"))
  var methods = RFactorChoice.all

  @OptionGroup var source: PredictionSource

  /// The model of predictions: that of the fit, unless it needs values that are not given.
  private func model(_ curve: CurveArguments) -> EliminationModel {
    let model = curve.model.model.model
    guard source.parameters == .given else { return model }
    return (try? source.kinetics.check(model)) == nil ? .widmark : model
  }

  /// The options as the library takes them.
  ///
  /// - Parameters:
  ///   - curve: What fits are told: the blood's water, the starts and the readings serve
  ///     both.
  ///   - factors: How readings are converted.
  func options(_ curve: CurveArguments, _ factors: ConversionFactors) -> PredictionOptions {
    source.options(
      of: model(curve), methods: methods.methods(curve.model.bloodWater.bloodWater),
      starts: curve.search.search.starts,
      selection: curve.readings.selection(curve.noise.loss), factors: factors)
  }

  /// The options as results carry them.
  ///
  /// - Parameters:
  ///   - thresholds: Those that subjects counted as sober by.
  ///   - curve: What fits were told.
  func values(
    _ thresholds: [SobrietyThreshold], _ curve: CurveArguments
  ) -> [(name: String, value: JSONValue)] {
    [("methods", .string(methods.text))] + source.values(thresholds)
      + source.kinetics.values(of: model(curve))
  }
}

/// The model and the r-factor methods that are asked for.
struct MethodOption: ParsableArguments {
  @Option(
    name: .customLong("r-factor"),
    help: ArgumentHelp(
      "Source of r (rho, the Widmark factor): \(RFactorName.names.joined(separator: ", ")), a number "
        + "in kg/kg, several of these separated by commas, or all (the first five).",
      valueName: "methods"))
  var rFactor = RFactorChoice.all

  @Option(
    help: ArgumentHelp("How ethanol is eliminated: \(EliminationModel.ratesInWords)."))
  var model = EliminationModel.widmark

  @OptionGroup var bloodWater: BloodWaterOption

  /// The methods as the library takes them.
  var methods: [any RFactorMethod] { rFactor.methods(bloodWater.bloodWater) }
}

/// An r-factor method by name, or a number for r itself.
struct RFactorName: ExpressibleByArgument {
  /// The names that are accepted besides a number.
  static let names = RFactorMethods.known().map(\.name)

  /// As it was given.
  let text: String

  init?(argument: String) {
    guard Self.method(argument, .perLitre) != nil else { return nil }
    text = argument
  }

  init(_ method: some RFactorMethod) {
    text = method.name
  }

  var defaultValueDescription: String { text }

  /// The method, with a blood-water constant for those that use one.
  func method(_ bloodWater: BloodWater) -> any RFactorMethod {
    Self.method(text, bloodWater) ?? Watson(bloodWater: bloodWater)
  }

  private static func method(_ text: String, _ bloodWater: BloodWater) -> (any RFactorMethod)? {
    if let method = RFactorMethods.named(text, bloodWater: bloodWater) { return method }
    guard let r = Double(text), r > 0, r.isFinite else { return nil }
    return GivenRFactor(RFactor(r))
  }
}

/// The r-factor methods to compare: the five of the thesis, or a list.
struct RFactorChoice: ExpressibleByArgument {
  /// The five methods of Nacar (2021).
  static let all = RFactorChoice(names: nil)

  /// The methods by name, or nil for the five.
  private let names: [RFactorName]?

  private init(names: [RFactorName]?) {
    self.names = names
  }

  init?(argument: String) {
    if argument.lowercased() == "all" {
      self = .all
      return
    }
    let words = argument.split(separator: ",", omittingEmptySubsequences: false)
    let names = words.compactMap { RFactorName(argument: String($0)) }
    guard names.count == words.count, Set(words).count == words.count else { return nil }
    self.names = names
  }

  /// As it was given.
  var text: String { names.map { $0.map(\.text).joined(separator: ",") } ?? "all" }

  var defaultValueDescription: String { text }

  func methods(_ bloodWater: BloodWater) -> [any RFactorMethod] {
    names.map { $0.map { $0.method(bloodWater) } } ?? RFactorMethods.all(bloodWater: bloodWater)
  }
}

/// The water content of blood, for methods built on body water.
struct BloodWaterOption: ParsableArguments {
  @Option(
    name: .customLong("blood-water"),
    help: """
      B, the water content of blood, for methods based on body water: 0.80 for concentrations in \
      g/kg, 0.844 = 0.80 x 1.055 for g/L. The default follows the thesis, which used 0.844 with g/kg; \
      this makes r 5 % smaller than 0.80.
      """)
  var content = BloodWater.perLitre.content

  func validate() throws {
    guard content > 0, content.isFinite else {
      throw ValidationError("--blood-water is \(content); it must be a positive number.")
    }
  }

  var bloodWater: BloodWater { BloodWater(content: content) }

  /// The option as results carry it.
  var values: [(name: String, value: JSONValue)] { [("blood_water", .number(content))] }
}

// Names that the command shares with the library.

extension ConcentrationUnit: ExpressibleByArgument {}
extension Sex: ExpressibleByArgument {}
extension EliminationModel: ExpressibleByArgument {}
extension Censoring: ExpressibleByArgument {}
extension Loss: ExpressibleByArgument {}
extension StandardErrors: ExpressibleByArgument {}
extension StartDesign.Sequence: ExpressibleByArgument {}
