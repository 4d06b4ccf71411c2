import AlcoholKinetics
public import ArgumentParser
public import Casework
import Foundation
import StudyData

struct StatedCase: ParsableArguments {
  @Option(help: ArgumentHelp("Name of the case, for the statement.", valueName: "text"))
  var name: String?

  @Option(help: ArgumentHelp("Number of the case, for the statement.", valueName: "text"))
  var caseNumber: String?

  @Option(
    help: ArgumentHelp(
      "Person responsible for the calculation, for the statement.", valueName: "name"))
  var author: String?

  @Option(help: ArgumentHelp("Date of times that have none, as 2024-03-01.", valueName: "date"))
  var date: String?

  @Option(
    help: ArgumentHelp(
      "Where the clocks are, as Europe/Berlin; needed where they are changed between the times.",
      valueName: "zone"))
  var timeZone: String?

  @Option(help: ArgumentHelp("Time asked about, or of the event.", valueName: "time"))
  var at: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Measured concentration; needs --unit. Repeat it for samples taken at the same time, whose mean is used.",
      valueName: "value"),
    transform: WrittenValue.number)
  var measured: [Double] = []

  @Option(
    help: ArgumentHelp(
      "Unit of the measured concentration, as mg%, promille or \"serum g/L\"; promille explain units lists them.",
      valueName: "unit"),
    completion: ConcentrationUnit.completion, transform: ConcentrationUnit.named)
  var unit: ConcentrationUnit?

  @Option(
    help: ArgumentHelp(
      "Analytical SD of one value, in --unit.", valueName: "value"))
  var measuredSd = 0.0

  @Option(
    help: ArgumentHelp(
      "By how much samples may differ, in percent of their mean.", valueName: "%"))
  var duplicateLimit = 100 * CaseMeasurement.usualDuplicateLimit

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Time of the measurement.", valueName: "time"))
  var measuredAt: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A drink: 21:00=500ml@5%, 21:00..22:30=1 uk pint@5% or 21:00=20g; may be repeated.",
      valueName: "drink"))
  var drink: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A drink after the event, in the same form; repeatable.", valueName: "drink"))
  var laterDrink: [String] = []

  @Option(help: ArgumentHelp("Coefficient of variation of volumes in percent.", valueName: "%"))
  var volumeCv = 0.0

  @Option(
    help: ArgumentHelp("Standard deviation of strengths in percent by volume.", valueName: "%"))
  var abvSd = 0.0

  @Option(
    help: ArgumentHelp("When drinking began, if the drinks do not say so.", valueName: "time"))
  var drinkingBegan: String?

  @Option(
    help: ArgumentHelp("When drinking ended, if the drinks do not say so.", valueName: "time"))
  var drinkingEnded: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("A limit, in the unit of the answer; may be repeated.", valueName: "value"),
    transform: WrittenValue.number)
  var limit: [Double] = []

  @Option(
    help: ArgumentHelp(
      "Unit of the answer and of limits, as --unit. (default: --unit)", valueName: "unit"),
    completion: ConcentrationUnit.completion, transform: ConcentrationUnit.named)
  var answerUnit: ConcentrationUnit?

  @Option(help: ArgumentHelp("Standard deviation of the height in cm.", valueName: "cm"))
  var heightSd = 0.0

  @Option(help: ArgumentHelp("Standard deviation of the weight in kg.", valueName: "kg"))
  var weightSd = 0.0

  func validate() throws { try ClockOption.check(timeZone) }

  /// The drinks in the order of the options.
  func drinks() throws(Problem) -> [StatedDrink] {
    func drinks(
      _ texts: [String], isLater: Bool, at option: String
    ) throws(Problem) -> [StatedDrink] {
      try texts.map { text throws(Problem) in
        try StatedDrink(
          parsing: text, isLater: isLater, volumeCVPercent: volumeCv, abvSDPercent: abvSd,
          at: option)
      }
    }
    let drinks =
      try drinks(drink, isLater: false, at: "--drink")
      + drinks(laterDrink, isLater: true, at: "--later-drink")
    if volumeCv > 0 || abvSd > 0, !drinks.contains(where: \.hasVolume) {
      throw .input("an uncertainty of volumes or strengths is stated, but no drink has a volume")
    }
    return drinks
  }

  /// The case as it is stated, but for the person and the assumptions.
  func stated(
    _ question: CaseQuestion, _ drinks: [StatedDrink]
  ) throws(Problem) -> Case {
    guard Set(measuredAt).count <= 1 else {
      throw .input(
        "--measured-at: samples taken at \(measuredAt.joined(separator: ", ")) are different measurements; only "
          + "samples of one time have a mean. Ask about each on its own, or let --study fit all of them"
      )
    }
    let at = at.map { CaseText($0, at: "--at") }
    let began = drinkingBegan.map { CaseText($0, at: "--drinking-began") }
    let ended = drinkingEnded.map { CaseText($0, at: "--drinking-ended") }
    let measuredAt = measuredAt.first.map { CaseText($0, at: "--measured-at") }
    let clock = try CaseClock(
      date: date.map { CaseText($0, at: "--date") },
      timeZone: timeZone.map { CaseText($0, at: "--time-zone") },
      times: [at, began, ended, measuredAt], drinks: drinks)
    var caseInput = Case(
      question, name: name, clock: clock, at: try at.map(clock.hours), person: Subject(id: "1"),
      heightSD: Metres(centimetres: heightSd), weightSD: Kilograms(weightSd),
      drinks: try drinks.map { drink throws(Problem) in try drink.drink(by: clock) },
      drinkingBegan: try began.map(clock.hours), drinkingEnded: try ended.map(clock.hours),
      measurement: try measurement(at: measuredAt.map(clock.hours)), limits: limit)
    caseInput.number = caseNumber
    caseInput.author = author
    try caseInput.setUnit(answerUnit)
    return caseInput
  }

  private func measurement(at time: Hours?) throws(Problem) -> CaseMeasurement? {
    guard let first = measured.first else {
      guard time == nil, unit == nil, measuredSd == 0 else {
        throw .missing("the measured value is not given, but its time, unit or SD is")
      }
      return nil
    }
    guard let unit else {
      throw .missing(
        "the unit of the measured \(first) is not given; state it with --unit, or as unit in a file: "
          + ConcentrationUnit.names)
    }
    guard let time else { throw .missing("the time of the measurement is not given") }
    return CaseMeasurement(
      time: time, values: measured, sd: measuredSd, unit: unit,
      duplicateLimit: duplicateLimit / 100)
  }
}

/// The file for the statement of a case.
struct StatementOption: DeliveryOptions, FileNaming {
  @Option(
    help: ArgumentHelp(
      "Also write a statement of one page: FILE ends in .html or .md.", valueName: "file"),
    completion: .file())
  var statement: String?

  var namedFiles: [NamedFile] { [.written(statement, by: "--statement")] }

  func validate() throws {
    guard let statement else { return }
    try require(
      ["html", "md"].contains(URL(filePath: statement).pathExtension.lowercased()),
      "--statement is \(statement); the name must end in .html or .md.")
  }
}

struct StatedAssumptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Source of r: \(RFactorName.inWords), or a number in --r-unit. (default: watson)",
      valueName: "method"))
  var rFactor: String?

  @Option(
    help: ArgumentHelp(
      "Unit of an r that is a number: kg-per-kg or l-per-kg. (default: kg-per-kg)",
      valueName: "unit"))
  var rUnit: CaseRUnit?

  @Option(
    help: ArgumentHelp(
      "Coefficient of variation of r about the method in percent. (default: as measured on 50 people)",
      valueName: "%"))
  var rCv: Double?

  @Option(
    help: ArgumentHelp(
      "beta in g/kg/h or with its unit, as 19mg/100ml/h. (default: that of --beta-population)",
      valueName: "distribution"))
  var beta: String?

  @Option(
    help: ArgumentHelp(
      "Unit of --beta, per hour, as --unit. (default: bac_g_per_kg)", valueName: "unit"),
    completion: ConcentrationUnit.completion, transform: ConcentrationUnit.named)
  var betaUnit: ConcentrationUnit?

  @Option(
    help: ArgumentHelp(
      "Whose beta: drivers (0.19 g/L/h), volunteers (0.15), dependent (0.30), or unknown: guideline: 9 to 29, most "
        + "likely 19 mg/100 ml/h, UKIAFT; monte-carlo: half drivers, half volunteers.",
      valueName: "population"))
  var betaPopulation = BetaPopulation.unknown

  @Option(
    help: ArgumentHelp(
      "Go back from a blood sample by the rule of a country's courts; see the article of Casework.",
      discussion: CaseGuideline.allCases.map { "\($0.rawValue): \($0.source)." }
        .joined(separator: " "),
      valueName: "name"))
  var guideline: CaseGuideline?

  @Option(
    help: ArgumentHelp(
      "k_a in 1/h, a distribution. (default: by --stomach)", valueName: "distribution"))
  var ka: String?

  @Option(
    help: ArgumentHelp(
      "Lag before absorption in min, a distribution. (default: 0)", valueName: "distribution"))
  var lag: String?

  @Option(
    help: ArgumentHelp(
      "Fraction of the alcohol that is absorbed, as 0.9 or range:0.7,0.8,0.9. (default: 1)",
      valueName: "distribution"))
  var absorbed: String?

  @Option(help: "What was in the stomach: fasted, fed or unknown.")
  var stomach = CaseAssumptions.Stomach.unknown

  @Option(help: "Follow absorption by the model, or take it as finished (Widmark's formula).")
  var absorption = CaseAssumptions.Absorption.modelled

  @Option(
    help: ArgumentHelp(
      "How long after the end of drinking absorption counts as finished, in min.", valueName: "min")
  )
  var absorbedAfter = CaseAssumptions().absorbedAfter.minutes

  @Option(
    help: ArgumentHelp(
      "The lowest concentration in blood to calculate from, in g/kg.", valueName: "g/kg"))
  var lowest = CaseAssumptions().lowest.value

  @Option(
    help:
      "B, the water content of blood, for methods based on body water: 0.80 for concentrations in g/kg."
  )
  var bloodWater = BloodWater.perKilogram.content

  @Option(help: ArgumentHelp("Standard deviation of the blood:breath ratio.", valueName: "value"))
  var bloodBreathRatioSd = 0.0

  @Option(help: ArgumentHelp("Standard deviation of the serum:blood ratio.", valueName: "value"))
  var serumBloodRatioSd = 0.0

  func validate() throws {
    try require("--blood-water", bloodWater, in: 0.5...1)
  }

  /// The options that contradict taking the parameters from the person's own readings.
  var ofReadings: [String] {
    (rFactor == nil ? [] : ["--r-factor"]) + (rCv == nil ? [] : ["--r-cv"])
      + (stomach == .unknown ? [] : ["--stomach"])
      + (betaPopulation == .unknown ? [] : ["--beta-population"])
      + (absorbed == nil ? [] : ["--absorbed"])
  }

  func assumptions(_ conversion: ConversionOptions) throws(Problem) -> CaseAssumptions {
    var made = CaseAssumptions()
    made.rUnit = rUnit
    made.rCV = rCv.map { $0 / 100 }
    made.absorption = absorption
    made.absorbedAfter = Hours(minutes: absorbedAfter)
    made.betaPopulation = betaPopulation
    made.guideline = guideline
    made.stomach = stomach
    made.lowest = GramsPerKilogram(lowest)
    made.factors = conversion.factors
    made.isBreathRatioStated = conversion.bloodBreathRatio != nil
    made.breathRatioSD = bloodBreathRatioSd
    made.serumRatioSD = serumBloodRatioSd
    try made.state(
      rFactor: rFactor.map { CaseText($0, at: "--r-factor") },
      bloodWater: BloodWater(content: bloodWater), beta: beta.map { CaseText($0, at: "--beta") },
      betaUnit: betaUnit, ka: ka.map { CaseText($0, at: "--ka") },
      lagMinutes: lag.map { CaseText($0, at: "--lag") },
      absorbed: absorbed.map { CaseText($0, at: "--absorbed") })
    return made
  }
}

extension CaseQuestion: ExpressibleByArgument {}
extension CaseOptions.Mode: ExpressibleByArgument {}
extension BetaPopulation: ExpressibleByArgument {}
extension CaseGuideline: ExpressibleByArgument {}
extension CaseRUnit: ExpressibleByArgument {}
extension CaseAssumptions.Stomach: ExpressibleByArgument {}
extension CaseAssumptions.Absorption: ExpressibleByArgument {}
