public import AlcoholKinetics
public import ArgumentParser
public import Estimation
public import Population
import Reporting
import StudyData
import StudyFiles
import Validation

/// The r-factor methods to compare with a fit, and the parameters of their predictions.
struct MethodArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "r factors (rho, Widmark factors) to compare: names as for --r-factor, separated by commas, or "
        + "all (those of Nacar 2021).",
      valueName: "names"))
  var methods = RFactorChoice.all

  func validate() throws { try methods.check("--methods") }
}

/// The model and the r-factor methods that are asked for.
struct MethodOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Source of r (rho, the Widmark factor): \(RFactorName.inWords), a number in kg/kg, "
        + "column:NAME (r of each subject in a column of the study), several of these separated by commas, or "
        + "all (those of Nacar 2021).",
      valueName: "methods"))
  var rFactor = RFactorChoice.all

  @Option(
    help: ArgumentHelp("How ethanol is eliminated: \(EliminationModel.ratesInWords)."))
  var model = EliminationModel.widmark

  func validate() throws { try rFactor.check("--r-factor") }
}

/// An r-factor method by name, a column of the study that has r, or a number for r itself.
struct RFactorName: TypedArgument {
  /// The names that are accepted besides a number.
  static let names = RFactorMethods.known().map(\.name)

  /// A method, as help names it.
  static let inWords = "a method, as watson (see promille explain r-factor)"

  let text: String

  init?(argument: String) {
    guard RFactorMethods.stated(argument, bloodWater: .perKilogram) != nil else { return nil }
    text = argument
  }

  init(_ method: some RFactorMethod) {
    text = method.name
  }

  static let defaultCompletionKind = CompletionKind.list(names)

  /// The method, with a blood-water constant for those that use one.
  func method(_ bloodWater: BloodWater) -> any RFactorMethod {
    RFactorMethods.stated(text, bloodWater: bloodWater) ?? Watson(bloodWater: bloodWater)
  }
}

/// The r-factor methods to compare: those of the thesis, or a list.
struct RFactorChoice: TypedArgument {
  /// The methods of Nacar (2021).
  static let all = RFactorChoice(names: nil)

  /// The methods by name, or nil for those of Nacar (2021).
  private let names: [RFactorName]?
  /// A word that is no method; nil if all are.
  private var unknown: String?

  private init(names: [RFactorName]?, unknown: String? = nil) {
    self.names = names
    self.unknown = unknown
  }

  init?(argument: String) {
    if argument.lowercased() == "all" {
      self = .all
      return
    }
    let words = argument.split(separator: ",", omittingEmptySubsequences: false)
    let names = words.compactMap { RFactorName(argument: String($0)) }
    if let word = words.first(where: { RFactorName(argument: String($0)) == nil }) {
      self.init(names: names, unknown: String(word))
      return
    }
    // 0.7 and 0.70 are one method.
    let methods = Set(names.map { $0.method(.perKilogram).name })
    guard methods.count == words.count else { return nil }
    self.init(names: names)
  }

  /// Refuses words that are no methods.
  func check(_ option: String) throws {
    guard let unknown else { return }
    let near = unknown.lowercased().nearest(in: RFactorName.names).map { " Did you mean \($0)?" }
    throw ValidationError(
      "\(option): there is no r-factor method \(unknown.quoted).\(near ?? "") Give a number in kg/kg, column:NAME, or "
        + "names: \(RFactorName.names.joined(separator: ", ")).")
  }

  var text: String { names.map { $0.map(\.text).joined(separator: ",") } ?? "all" }

  /// Whether the methods were named, so that all of them are to be ranked.
  var areNamed: Bool { names != nil }

  static let defaultCompletionKind = CompletionKind.list(RFactorName.names + ["all"])

  func methods(_ bloodWater: BloodWater) -> [any RFactorMethod] {
    names.map { $0.map { $0.method(bloodWater) } } ?? RFactorMethods.all(bloodWater: bloodWater)
  }
}

/// A set of values that a publication used.
enum Preset: String, CaseIterable, ExpressibleByArgument {
  case nacar2021 = "nacar-2021"
}

/// The typical k_a, beta and lag that are used unless options give others.
struct TypicalOption: ParsableArguments {
  @Option(
    help: """
      What subjects had eaten, which decides the typical k_a, beta and lag: fasted or fed. \
      (default: what the study says of each subject, else fasted)
      """)
  var food: FoodState?

  @Option(
    help: """
      Use the values of a publication: nacar-2021 (k_a 18 /h, beta 0.15 g/kg/h, no lag, B \
      \(BloodWater.perLitre.content)).
      """)
  var preset: Preset?

  /// The food of the study's subjects, once it has been read; fasted where it says nothing.
  var stated: Set<FoodState> = []

  func validate() throws {
    try require(
      food == nil || preset == nil,
      "--preset sets k_a and beta whatever was eaten; leave out --food or --preset.")
  }

  /// The typical kinetics for predictions; nil if the study decides, subject by subject.
  var kinetics: TypicalKinetics? {
    if preset == .nacar2021 { return .nacar2021 }
    let common = food ?? (stated.count == 1 ? stated.first : nil)
    return common.map { TypicalKinetics(of: $0) }
  }

  /// The typical kinetics in results; fasted before a study has been read.
  var recorded: TypicalKinetics? { kinetics ?? (stated.isEmpty ? .fasted : nil) }

  /// Takes the food states of a study's subjects, and warns if an option overrides them.
  mutating func setFood(from study: Study, _ console: Console) {
    let options = self
    let warnings = study.series.lazy.compactMap { options.warning(of: $0.subject) }
    if let sentence = warnings.first { console.warning("W_FOOD_OVERRIDDEN", sentence) }
    stated = Set(study.series.map { $0.subject.food ?? .fasted })
  }

  /// True if an option overrides the food states of the study.
  var isGiven: Bool { food != nil || preset != nil }

  /// The warning that an option overrides what the study says of a subject; nil if it does not, or says the same.
  func warning(of subject: Subject) -> String? {
    guard isGiven, let kinetics, let stated = subject.food, kinetics != TypicalKinetics(of: stated)
    else { return nil }
    let option = food.map { "--food \($0.rawValue)" } ?? "--preset \(kinetics.rawValue)"
    return
      "the study says that subject \(subject.id.quoted) was "
      + "\(stated.rawValue); \(option) overrides all that it says of food. Leave the option out to follow the "
      + "study."
  }
}

/// The water content of blood, for methods built on body water.
struct BloodWaterOption: ParsableArguments {
  @Option(
    help: """
      B, the water content of blood, for methods based on body water: \(perKilogram) for \
      concentrations in g/kg; \(perLitre) = \(perKilogram) x \(ConversionFactors().bloodDensityKgPerL), \
      which is for g/L, makes r 5 % smaller. (default: \(perKilogram); \(perLitre) with --preset nacar-2021)
      """)
  var bloodWater: Double?

  private static let perKilogram = BloodWater.perKilogram.content
  private static let perLitre = BloodWater.perLitre.content

  func validate() throws {
    try requirePositive("--blood-water", bloodWater)
  }

  func constant(_ preset: Preset? = nil) -> BloodWater {
    if let bloodWater { return BloodWater(content: bloodWater) }
    return preset == .nacar2021 ? .perLitre : .perKilogram
  }
}

// Names that the command shares with the library.

extension FoodState: ExpressibleByArgument {}
extension EliminationModel: ExpressibleByArgument {}
extension Censoring: ExpressibleByArgument {}
extension ErrorSource: ExpressibleByArgument {}
extension Loss: ExpressibleByArgument {}
extension StandardErrors: ExpressibleByArgument {}
extension FitEngine: ExpressibleByArgument {}
extension PopulationMethod: ExpressibleByArgument {}
extension PopulationFit.Intervals: ExpressibleByArgument {}
extension PopulationOptions.Covariance: ExpressibleByArgument {}
extension StartDesign.Sequence: ExpressibleByArgument {}

extension ConcentrationUnit {
  static let completion = CompletionKind.list(all.map(\.rawValue))

  /// Parses a unit in the words of spreadsheets; the help refers to `promille explain units` for the list.
  static func named(_ text: String) throws -> ConcentrationUnit {
    do throws(Unreadable) {
      return try ConcentrationUnit(written: text)
    } catch {
      throw ValidationError("\(error).")
    }
  }
}

extension Sex: ExpressibleByArgument {
  /// Parses a sex; m and f are short for it.
  public init?(argument: String) {
    let word = argument.lowercased()
    let sexes = Sex.allCases.filter { $0.rawValue == word || $0.rawValue.prefix(1) == word }
    guard let sex = sexes.first else { return nil }
    self = sex
  }
}
