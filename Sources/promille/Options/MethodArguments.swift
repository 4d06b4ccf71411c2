public import AlcoholKinetics
public import ArgumentParser
public import Estimation
public import Population
import Reporting
import Validation

/// Which r-factor methods are compared beside a fit, and what they predict with.
struct MethodArguments: ParsableArguments, Encodable {
  @Option(
    help: ArgumentHelp(
      "r factors (rho, Widmark factors) to compare: names as for --r-factor, separated by commas, or "
        + "all (the first five).",
      valueName: "names"))
  var methods = RFactorChoice.all
}

/// The model and the r-factor methods that are asked for.
struct MethodOption: ParsableArguments, Encodable {
  @Option(
    help: ArgumentHelp(
      "Source of r (rho, the Widmark factor): \(RFactorName.names.joined(separator: ", ")), a number "
        + "in kg/kg, several of these separated by commas, or all (the first five).",
      valueName: "methods"))
  var rFactor = RFactorChoice.all

  @Option(
    help: ArgumentHelp("How ethanol is eliminated: \(EliminationModel.ratesInWords)."))
  var model = EliminationModel.widmark
}

/// An r-factor method by name, or a number for r itself.
struct RFactorName: ExpressibleByArgument, TypedValue {
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

  static let defaultCompletionKind = CompletionKind.list(names)

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
struct RFactorChoice: ExpressibleByArgument, TypedValue {
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

  static let defaultCompletionKind = CompletionKind.list(RFactorName.names + ["all"])

  func methods(_ bloodWater: BloodWater) -> [any RFactorMethod] {
    names.map { $0.map { $0.method(bloodWater) } } ?? RFactorMethods.all(bloodWater: bloodWater)
  }
}

/// The water content of blood, for methods built on body water.
struct BloodWaterOption: ParsableArguments, Encodable {
  @Option(
    help: """
      B, the water content of blood, for methods based on body water: \(perKilogram) for \
      concentrations in g/kg, \(perLitre) = \(perKilogram) x \(ConversionFactors().bloodDensityKgPerL) for \
      g/L. The default follows Nacar (2021), who used \(perLitre) with g/kg; r is then 5 % smaller than \
      with \(perKilogram).
      """)
  var bloodWater = BloodWater.perLitre.content

  private static let perKilogram = BloodWater.perKilogram.content
  private static let perLitre = BloodWater.perLitre.content

  func validate() throws {
    guard bloodWater > 0, bloodWater.isFinite else {
      throw ValidationError("--blood-water is \(bloodWater); it must be a positive number.")
    }
  }

  /// The constant as the library takes it.
  var constant: BloodWater { BloodWater(content: bloodWater) }
}

// Names that the command shares with the library.

extension ConcentrationUnit: ExpressibleByArgument {}
extension Sex: ExpressibleByArgument {}
extension EliminationModel: ExpressibleByArgument {}
extension Censoring: ExpressibleByArgument, Encodable {}
extension Loss: ExpressibleByArgument, Encodable {}
extension StandardErrors: ExpressibleByArgument, Encodable {}
extension FitEngine: ExpressibleByArgument {}
extension PopulationMethod: ExpressibleByArgument {}
extension StartDesign.Sequence: ExpressibleByArgument, Encodable {}
