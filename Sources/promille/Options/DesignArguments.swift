import AlcoholKinetics
import ArgumentParser
import Estimation
import Population
import StudyData
import Validation

/// A number of people, by its aim: `rse:10`, `watson:widmark` or `beta=sex:15`.
struct PeopleChoice: TypedValue {
  let text: String
  private enum Wish {
    case relativeError(Double)
    case methods(RFactorName, RFactorName)
    case effect(PopulationModel.Covariate, ratio: Double)
  }

  private let wish: Wish

  init(parsing argument: String) throws {
    text = argument
    if let equals = argument.firstIndex(of: "=") {
      let name = argument[argument.index(after: equals)...].split(
        separator: ":", omittingEmptySubsequences: false)
      guard name.count == 2, !name[0].isEmpty, let percent = Double(name[1]), -95...1000 ~= percent,
        abs(percent) >= 0.1
      else {
        throw ValidationError(
          "it must be PARAMETER=COVARIATE:PERCENT, from -95 to 1000 % and not 0, for example beta=sex:15."
        )
      }
      let parameter = try FitParameter(named: argument[..<equals])
      wish = .effect(
        PopulationModel.Covariate(
          parameter: .kinetic(parameter), name: String(name[0]), form: .power),
        ratio: 1 + percent / 100)
      return
    }
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    if parts.count == 2, parts[0] == "rse" {
      guard let percent = Double(parts[1]), percent >= 0.1, percent <= 100 else {
        throw ValidationError("'\(parts[1])' is not a relative standard error from 0.1 to 100 %.")
      }
      wish = .relativeError(percent / 100)
      return
    }
    let methods = parts.compactMap { RFactorName(argument: $0) }
    guard parts.count == 2, methods.count == 2, methods[0].text != methods[1].text else {
      throw ValidationError(
        "it must be rse:PERCENT, PARAMETER=COVARIATE:PERCENT or two r methods, for example watson:widmark; methods are "
          + "\(RFactorName.names.joined(separator: ", ")).")
    }
    wish = .methods(methods[0], methods[1])
  }

  func aim(_ water: BloodWater) -> PeoplePlan.Aim {
    switch wish {
    case .relativeError(let error): .typical(relativeError: error)
    case .methods(let first, let second):
      .distinguish(first.method(water), from: second.method(water))
    case .effect(let covariate, let ratio): .effect(covariate, ratio: ratio)
    }
  }
}

/// Minutes, separated by commas.
struct MinuteList: TypedValue {
  /// The longest time that is planned, in min.
  static let most = 1e5

  let minutes: [Double]
  let text: String

  init(parsing argument: String) throws {
    text = argument
    minutes = try argument.split(separator: ",", omittingEmptySubsequences: false).map { part in
      guard let value = Double(part.filter { $0 != " " }), 0...Self.most ~= value else {
        throw ValidationError("'\(part)' is not a number of min from 0 to 100000.")
      }
      return value
    }.sorted()
    guard Set(minutes).count == minutes.count, minutes.count <= 200 else {
      throw ValidationError("a time is given twice, or there are more than 200.")
    }
  }
}

/// A stretch of time, as `FROM:TO` in min.
struct MinuteRange: TypedValue {
  let range: ClosedRange<Double>
  let text: String

  init(parsing argument: String) throws {
    let ends = argument.split(separator: ":", omittingEmptySubsequences: false)
      .map { Double($0.filter { $0 != " " }) }
    guard ends.count == 2, let low = ends[0], let high = ends[1], low <= high else {
      throw ValidationError("it must be FROM:TO in min, for example 60:90.")
    }
    range = low...high
    text = argument
  }
}

/// The aim of readings: all parameters, some, or a derived quantity.
struct AimChoice: TypedValue {
  static let all = AimChoice(text: "all", parameters: nil, quantity: nil)
  let text: String
  private let parameters: Set<FitParameter>?
  let quantity: DerivedQuantity?

  private init(text: String, parameters: Set<FitParameter>?, quantity: DerivedQuantity?) {
    self.text = text
    self.parameters = parameters
    self.quantity = quantity
  }

  init(parsing argument: String) throws {
    let quantity = DerivedQuantity(rawValue: argument)
    let isAll = argument == "all" || quantity != nil
    self.init(
      text: argument, parameters: isAll ? nil : Set(try NameList(parsing: argument).parameters),
      quantity: quantity)
  }

  func aim(of estimated: Set<FitParameter>) -> DesignAim {
    if let quantity { return .quantity(quantity) }
    guard let parameters, parameters != estimated else { return .everything }
    return .parameters(parameters)
  }
}

/// The possible times of readings.
struct TimeArguments: ParsableArguments {
  @Option(
    name: .customLong("apart"),
    help: ArgumentHelp("Least min between two readings.", valueName: "min"))
  var apartMin = SamplingOptions().apart

  @Option(
    name: .customLong("every"),
    help: ArgumentHelp("Min between the times that are tried.", valueName: "min"))
  var everyMin = SamplingOptions().step

  @Option(
    name: .customLong("until"),
    help: ArgumentHelp(
      "Last time that is tried, in min since the first drink. (default: sobriety)",
      valueName: "min"))
  var untilMin: Double?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "No readings from one time to another, in min since the first drink; may be repeated.",
      valueName: "from:to"), transform: MinuteRange.init(parsing:))
  var forbid: [MinuteRange] = []

  func validate() throws {
    try require("--apart", apartMin, in: 0...Self.most)
    try require("--every", everyMin, in: 0.01...Self.most)
    try require("--until", untilMin, in: 0.01...Self.most)
  }

  /// The options for stated times.
  private static let most = MinuteList.most

  func apply(to options: inout SamplingOptions) {
    options.apart = apartMin
    options.step = everyMin
    options.until = untilMin
    options.forbidden = forbid.map(\.range)
  }
}

/// Options of the instrument.
struct InstrumentArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How readings err: additive:SD (g/kg), proportional:CV, combined:SD,CV, or instrument (resolution and "
        + "accuracy stated by the study). (default: that of --prior, else additive:\(usualSD))",
      valueName: "model"),
    transform: ErrorModel.init(parsing:))
  var error: ErrorModel?

  private static let usualSD = SamplingOptions().error.sd

  @Flag(
    help: """
      Fits will know the size of errors (fit --error additive:SD). Otherwise each person's readings tell it, whatever the \
      model, which widens intervals.
      """)
  var knownError = false

  @Option(
    help: ArgumentHelp(
      "Correlation between errors: none, or exponential:MIN, as for fit.", valueName: "model"),
    transform: ErrorCorrelation.init(parsing:))
  var correlation = ErrorCorrelation.independent

  @Option(
    name: .customLong("resolution"),
    help: ArgumentHelp(
      "Smallest step of the display in g/kg. (default: none)", valueName: "g/kg"))
  var resolutionGPerKg: Double?

  @Option(
    name: .customLong("lod"),
    help: ArgumentHelp(
      "Limit of detection in g/kg. (default: as the study states)", valueName: "g/kg"))
  var lodGPerKg: Double?

  @Option(
    name: .customLong("exclude-after-drink"),
    help: ArgumentHelp(
      "No readings within this many min after the end of a drink, because of mouth alcohol. (default: as the "
        + "study states, or 0)", valueName: "min"))
  var excludeAfterDrinkMin: Double?

  func validate() throws {
    try requirePositive("--resolution", resolutionGPerKg)
    try requirePositive("--lod", lodGPerKg)
    try requireNotNegative("--exclude-after-drink", excludeAfterDrinkMin)
    try require(
      error?.isEstimated != true,
      "--error needs the size of errors, for example additive:0.02.")
    try require(
      correlation != .exponential(time: nil),
      "--correlation needs a time, for example exponential:24.")
    try require(
      correlation == .independent || correlationTime != nil,
      "--correlation is none or exponential:MIN here, for example exponential:24.")
  }

  /// The correlation time, where there is no nugget.
  private var correlationTime: Hours? {
    if case .exponential(let time, nugget: 0) = correlation { time } else { nil }
  }

  /// The options of a plan, with what a study states.
  ///
  /// - Parameter population: The error model of the prior; nil without one.
  func options(of study: Study, _ population: ObservationModel?) throws -> SamplingOptions {
    let factors = ConversionFactors()
    let unit = study.series.lazy.compactMap(\.readings.first?.unit).first ?? .bloodGramsPerKilogram
    let stated = ObservationModel(study.instrument, unit: unit, factors)
    try require(
      error != .instrument || stated.isStated,
      "The study states no resolution and no accuracy of its instrument; choose another --error.")
    var options = SamplingOptions()
    options.error = error?.observation(stated) ?? population ?? options.error
    options.isErrorKnown = knownError || error == .instrument
    options.correlationTime = correlationTime
    options.resolution = resolutionGPerKg ?? 0
    options.limit =
      lodGPerKg
      ?? study.instrument?.limitOfDetection.map {
        unit.bloodConcentration(of: $0, using: factors).value
      }
    options.mouthAlcoholWindow =
      excludeAfterDrinkMin.map { Hours(minutes: $0) } ?? study.instrument?.mouthAlcoholWindow ?? 0
    return options
  }
}

/// Options of the expected intervals and of the search for times.
struct TrialArguments: ParsableArguments {
  @Option(help: "Level of the intervals.")
  var level = SamplingOptions().level

  @Option(
    help: ArgumentHelp(
      "People to simulate and fit for the share of undetermined parameters; 0 for none.",
      valueName: "n"))
  var simulations = SamplingOptions().simulations

  @Option(help: ArgumentHelp("Random starts of the search for times.", valueName: "n"))
  var starts = SamplingOptions().starts

  @Option(help: "Seed of starts and simulations; equal seeds give equal results.")
  var seed = SamplingOptions().seed

  func validate() throws {
    try requireLevel(level)
    try require("--simulations", simulations, in: 0...100_000)
    try require("--starts", starts, in: 1...1000)
  }

  func apply(to options: inout SamplingOptions) {
    options.level = level
    options.simulations = simulations
    options.starts = starts
    options.seed = seed
  }
}
