import AlcoholKinetics
import ArgumentParser
import Certification
import Foundation
import Reporting
import StudyData

/// `promille simulate`
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Predict curves, or make up a cohort whose truth is known.",
    discussion: """
      Of a STUDY, or of --drinks, the curves of each r-factor method are written as CSV: subject, \
      occasion, r factor, time since the clock's zero in min, concentration in g/kg. A drink is \
      MIN:VOLUMEml@ABV% or MIN:GRAMSg.

      --cohort writes a study into a folder: subjects.csv, drinks.csv, readings.csv, and truth.csv \
      with everybody's k_a, beta (or what --model has in its place) and r. Ends with 1 if some curve \
      cannot be predicted.

      Examples:
        promille simulate datasets/nacar-2021 --r-factor all --until sober
        promille simulate --drinks "0:500ml@4.4%,55:20ml@40%" \\
          --sex male --age 30 --height 180 --weight 80
        promille simulate --cohort 1000 --seed 7 -o cohort
      """)

  @Argument(help: "Study whose drinks are simulated; not with --drinks or --cohort.")
  var study: String?

  @Option(
    help: ArgumentHelp(
      "Drinks, separated by commas, instead of a study.", valueName: "drinks"),
    transform: DrinkList.init(parsing:))
  var drinks: DrinkList?

  @OptionGroup(title: "Who drinks") var person: PersonArguments

  @Option(
    help: ArgumentHelp(
      "Minutes between points or readings. (default: 1, of a cohort 20)", valueName: "min"))
  var every: Double?

  @Option(
    help: ArgumentHelp(
      "Where curves end: sober, or so many min after the clock's zero. Only with Widmark's model is "
        + "anybody sober for good; curves of others end at 0.001 g/kg.",
      valueName: "end"))
  var until = CurveEnd.sober

  @Flag(help: "Draw the curves in characters instead of writing them as CSV.")
  var plot = false

  @OptionGroup(title: "Prediction") var prediction: CurvePredictionArguments
  @OptionGroup(title: "Cohort") var cohort: CohortArguments
  @OptionGroup(title: "Output") var output: FileOptions

  func validate() throws {
    let sources = [
      study.map { "the study \($0)" }, drinks.map { _ in "--drinks" },
      cohort.cohort.map { _ in "--cohort" },
    ].compactMap(\.self)
    guard sources.count == 1 else {
      let found = sources.isEmpty ? "nothing" : sources.joined(separator: " and ")
      throw ValidationError(
        "Name one of STUDY, --drinks and --cohort to simulate; found \(found).")
    }
    if let every, !(every > 0 && every.isFinite) {
      throw ValidationError("--every is \(every); it must be a positive number.")
    }
    if let every, cohort.cohort != nil, !(every * Double(cohort.readings + 1)).isFinite {
      throw ValidationError(
        "--every is \(every), and --readings is \(cohort.readings); so far apart they have no times."
      )
    }
    guard drinks != nil || person.given.isEmpty else {
      throw ValidationError(
        "\(person.given.joined(separator: ", ")): about who drinks --drinks; leave it out, or put it "
          + "into the study.")
    }
    if cohort.cohort == nil {
      try prediction.kinetics.check(prediction.method.model)
    } else if !prediction.kinetics.areDefaults {
      throw ValidationError(
        "--ka, --beta and --predict-with are of curves; a cohort has everybody's own.")
    }
    guard cohort.cohort == nil || !plot else {
      throw ValidationError("--plot draws curves, of which a cohort has none.")
    }
    guard cohort.cohort == nil || output.output != nil else {
      throw ValidationError("A cohort is several files; name their folder with -o.")
    }
  }

  func run() throws {
    if let subjects = cohort.cohort, let folder = output.output {
      try writeCohort(of: subjects, to: folder)
    } else {
      try writeCurves()
    }
  }

  // MARK: Cohort

  private func writeCohort(of subjects: Int, to folder: String) throws {
    let design = cohort.design(
      of: subjects, every: Hours(minutes: every ?? 20), prediction.method.model)
    var people = try SimulatedCohort(design)
    var text = CohortText(design)
    let destination = Destination(console: output.console)
    let files = try destination.attempt(folder, "-o") {
      try FolderOutput(folder, files: CohortText.fileNames)
    }
    while let person = try people.next() {
      text.append(person)
      if text.count > 1 << 20 {
        try destination.attempt(folder, "-o") { try files.write(text.texts) }
        text.removeAll()
      }
    }
    try destination.attempt(folder, "-o") {
      try files.write(text.texts)
      try files.finish()
    }
  }

  // MARK: Curves

  private func writeCurves() throws {
    let stream = try stream()
    let batch = try RowBatch(
      plot ? "" : SimulatedCurves.head, to: output.output, option: "-o", of: stream, output.console)
    let curves = SimulatedCurves(
      options: prediction.options, everyMinutes: every ?? 1, end: until.minutes)
    let console = output.console
    try StudyOptions.run([batch], over: stream, console) { stream in
      try curves.forEach(of: stream) { curve in
        try batch.write(
          plot ? TerminalPlot(curve).text + "\n" : curve.text, of: curve.series,
          count: curve.methods, failed: curve.failures)
        for reason in curve.reasons { console.warning("promille: \(reason)") }
      }
    }
    try batch.endIfFailed()
  }

  private func stream() throws -> StudyStream {
    if let drinks {
      let series = Series(subject: person.subject, drinks: drinks.drinks, readings: [])
      return StudyStream(Study(name: "drinks", series: [series]))
    }
    return try StudyOptions(study: study ?? "").stream(output.console)
  }
}
