import AlcoholKinetics
import ArgumentParser
import Certification
import Estimation
import Population
import StudyData
import StudyFiles

struct CohortArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Generate a cohort of N subjects.", valueName: "n"))
  var cohort: Int?

  @Option(help: "Seed of the cohort; equal seeds give equal files.")
  var seed = usual.seed

  @Option(help: "Number of readings per subject.")
  var readings = usual.readings

  @Option(
    name: .customLong("noise"),
    help: ArgumentHelp("Standard deviation of a reading in g/kg.", valueName: "g/kg"))
  var noiseGPerKg = usual.noise.value

  @Option(
    name: .customLong("lod"),
    help: ArgumentHelp(
      "Limit of detection in g/kg; lower readings are written as 0. (default: none)",
      valueName: "g/kg"))
  var lodGPerKg: Double?

  @Option(
    help: "SD of log r around Watson's r; 0 gives every subject Watson's r.")
  var rSpread = usual.spreadOfR

  static let usual = CohortDesign(subjects: 1)

  func validate() throws {
    try require("--cohort", cohort, in: 1...100_000_000)
    try require("--readings", readings, in: 0...1_000_000)
    try require("--noise", noiseGPerKg, in: 0...10)
    try require("--lod", lodGPerKg, in: 0...10)
    try require("--r-spread", rSpread, in: 0...10)
  }

  func design(
    of subjects: Int, every minutes: Double?, _ model: EliminationModel
  ) -> CohortDesign {
    CohortDesign(
      subjects: subjects, seed: seed, readings: readings,
      every: minutes.map { Hours(minutes: $0) } ?? Self.usual.every,
      noise: GramsPerKilogram(noiseGPerKg),
      limitOfDetection: lodGPerKg.map { GramsPerKilogram($0) },
      spreadOfR: rSpread, model: model)
  }
}

/// A population that simulated people are drawn from.
struct SimulatedPopulationArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Draw people from a population: a FILE that promille population wrote as JSON, or a prior that ships.",
      valueName: "file"), completion: .priors)
  var from: String?

  @Option(help: "Number of studies to draw.")
  var studies = 1

  @Flag(
    help: "Take the population's estimates as known, so that studies differ in their people alone.")
  var fixedEstimates = false

  func validate() throws { try require("--studies", studies, in: 1...100_000) }
}

extension StudySimulation.Person {
  /// A copy named after its study, where there are several.
  func renamed(ofStudy number: Int) -> Self {
    var series = series
    series.subject.covariates[Study.column] = "\(number)"
    series.subject.id = "\(number)/\(series.subject.id)"
    return Self(series: series, truth: truth)
  }
}

extension StudySimulation {
  /// The true parameters of everybody on each occasion, as CSV.
  static func truth(of people: [Person]) -> String {
    let parameters = people.first?.truth.keys.sorted() ?? []
    let hasOccasions = people.contains { $0.series.occasion != nil }
    var text = CSVText()
    text.appendRow(
      ["subject"] + (hasOccasions ? ["occasion"] : []) + parameters.map(\.traits.columnName))
    for person in people {
      let names = [person.series.subject.id] + (hasOccasions ? [person.series.occasion ?? ""] : [])
      text.appendRow(
        names + parameters.map { "\($0.reportedValue(person.truth[$0] ?? .nan))" })
    }
    return text.string
  }
}

/// A person who is not in a study.
struct PersonArguments: ParsableArguments {
  @Option(help: "male or female.")
  var sex: Sex?

  @Option(
    name: .customLong("age"), help: ArgumentHelp("Age in years.", valueName: "y"),
    transform: WrittenValue.age)
  var ageY: Double?

  @Option(
    name: .customLong("height"),
    help: ArgumentHelp("Height in cm, or as 1.82m, 71in, 5'11\".", valueName: "cm"),
    transform: WrittenValue.height)
  var heightCm: Double?

  @Option(
    name: .customLong("weight"),
    help: ArgumentHelp("Weight in kg, or as 180lb.", valueName: "kg"),
    transform: WrittenValue.weight)
  var weightKg: Double?

  func validate() throws {
    try require("--age", ageY, in: BodyRange.ages)
    try require("--height", heightCm, in: BodyRange.heights)
    try require("--weight", weightKg, in: BodyRange.weights)
  }

  /// The options among these that are given.
  var given: [String] {
    [
      ("--sex", sex != nil), ("--age", ageY != nil), ("--height", heightCm != nil),
      ("--weight", weightKg != nil),
    ].filter(\.1).map(\.0)
  }

  var subject: Subject {
    Subject(
      id: "1", sex: sex, age: ageY.map { Years($0) },
      height: heightCm.map { Metres(centimetres: $0) }, weight: weightKg.map { Kilograms($0) })
  }
}

/// Drinks on the command line: `MIN:VOLUMEml@ABV%` or `MIN:GRAMSg`, separated by commas.
struct DrinkList: TypedValue {
  let drinks: [Drink]
  let text: String

  init(parsing argument: String) throws {
    text = argument
    drinks = try argument.split(separator: ",", omittingEmptySubsequences: false)
      .map { try Self.drink($0) }
      .sorted { $0.time < $1.time }
  }

  private static func drink(_ text: Substring) throws -> Drink {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let minutes = Double(trimmed(parts[0])), abs(minutes) <= 1e6,
      let dose = dose(trimmed(parts[1]))
    else {
      throw ValidationError(
        "'\(text)' is not a drink; write, for example, 0:500ml@4.4% or 30:20g (time in min first).")
    }
    return Drink(time: Hours(minutes: minutes), ethanol: dose)
  }

  private static func dose(_ text: String) -> EthanolDose? {
    if text.hasSuffix("g") {
      return number(text.dropLast(), upTo: 5000).map { .mass(Grams($0)) }
    }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].hasSuffix("ml"), parts[1].hasSuffix("%"),
      let volume = number(parts[0].dropLast(2), upTo: 100_000),
      let percent = number(parts[1].dropLast(), upTo: 100)
    else { return nil }
    return .volume(Millilitres(volume), abvPercent: percent)
  }

  private static func number(_ text: Substring, upTo limit: Double) -> Double? {
    guard let number = Double(text), number >= 0, number <= limit else { return nil }
    return number
  }

  private static func trimmed(_ text: Substring) -> String {
    text.filter { $0 != " " }
  }
}

/// The end of a simulated curve.
struct CurveEnd: TypedArgument {
  /// The time of the end in min; nil for the time of sobriety.
  let minutes: Double?

  static let sober = CurveEnd(minutes: nil)

  private init(minutes: Double?) { self.minutes = minutes }

  init?(argument: String) {
    minutes = Double(argument)
    guard minutes.map({ 0...1e6 ~= $0 }) ?? (argument == "sober") else { return nil }
  }

  var text: String { minutes.map { "\($0)" } ?? "sober" }
}
