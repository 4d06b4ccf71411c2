import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import Population
import Reporting
import StrictOptions
import StudyData
import StudyFiles
import StudyStore
import Validation

struct Export: ResultCommand {
  /// The forms in which a study can be written.
  enum Form: String, CaseIterable, ExpressibleByArgument {
    case csv
    case events
    /// A table of events in numbers.
    case nonmem
    case sqlite
    case json
  }

  static let configuration = Help.configuration("export")

  @OptionGroup var input: StudyOptions

  @Option(help: "Format to export the study to.")
  var to: Form?

  @Flag(help: "Write results and a notebook to the folder given with -o.")
  var notebook = false

  @Flag(help: "With --notebook: also run it, by python3, so that it holds its figures.")
  var execute = false

  @OptionGroup var curves: EvaluationArguments
  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var output: FileOptions

  var factors: ConversionFactors { curves.conversion.factors }
  var members: OptionMembers { curves.members }

  func validate() throws {
    try require(
      to == nil || !notebook, "--to and --notebook write different files; choose one of them.")
    try require(to != nil || notebook, "Nothing to export: add --to with a format, or --notebook.")
    try require(
      !notebook || output.path != nil, "--notebook writes several files; name a folder with -o.")
    try require(notebook || !execute, "--execute runs a notebook; add --notebook.")
    if notebook { try curves.check("a notebook") }
    switch to {
    case .events, .nonmem: try output.requireName(of: .csv)
    case .json: try output.requireName(of: .json)
    case .csv, .sqlite, nil: break
    }
    guard output.path == nil, let to, [.csv, .sqlite].contains(to) else { return }
    throw ValidationError("--to \(to.rawValue) needs a place to write to; add -o.")
  }

  mutating func run() throws {
    if to == nil {
      try input.resolve(&curves.conversion, console)
      input.resolve(&curves.noise, for: curves.fitOptions, console)
    }
    let study = try input.read(console, curves.given)
    guard let to else {
      curves.conversion.warn(about: study, console)
      curves.typical.setFood(from: study, console)
      return try writeNotebook(study)
    }
    try input.warnOfStudyDayData(console)
    try write(study, as: to)
  }

  private func writeNotebook(_ study: Study) throws {
    let evaluation = try curves.evaluation(of: study, jobs: threads.count)
    let provenance = provenance(
      inputs: study.inputs, thresholds: evaluation.summary.thresholds)
    let files = StudyNotebook(evaluation, provenance: provenance, options: fitKeywords).files
    let data = JSONValue(study).document
    let set = try console.prepare(
      files.map { ($0.path, Data($0.text.utf8)) } + [("study.json", Data(data.utf8))],
      in: output.path ?? ".", option: "-o")
    try attempt { _ in try set.finish() }
    if execute { try runNotebook() }
    let fits = evaluation.series.map(\.fit)
    try console.endIfFailed(fits.count(where: \.hasFailed), of: fits.count)
  }

  /// Runs the notebook in its folder. If it cannot be run, it stays as it was written, and why is said.
  private func runNotebook() throws {
    let file = "\(output.path ?? ".")/\(StudyNotebook.name)"
    var reason = "there is no python3"
    if let python = ChildProcess.path(of: "python3") {
      let errors = try TemporaryFile()
      let ending = try ChildProcess.run(
        python,
        [
          "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", "--log-level=ERROR",
          file,
        ],
        input: try TemporaryFile(), output: try TemporaryFile(), errors: errors)
      if ending == .exit(0) { return }
      let said = String(decoding: errors.contents, as: UTF8.self).split(separator: "\n").last
      reason = said.map(String.init) ?? "it ended with \(ending)"
    }
    console.remark(
      "\(file) is written, but not run: \(reason); its first cell says what to install")
  }

  /// The options of the fits that were typed, or follow from the study, as keyword arguments of the Python package.
  private var fitKeywords: JSONValue {
    let names = Set(
      ModelArguments.optionNames + TypicalOption.optionNames + BloodWaterOption.optionNames
        + ReadingArguments.optionNames + ErrorArguments.optionNames + IntervalArguments.optionNames
        + SearchArguments.optionNames + StartArguments.optionNames + ConversionOptions.optionNames)
    var typed: [String: [JSONValue]] = [:]
    var rest = Invocation.arguments[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard let name = parts.first, names.contains(name) else { continue }
      let value = parts.count > 1 ? parts[1] : rest.popFirst() ?? ""
      typed[String(name.dropFirst(2)).replacing("-", with: "_"), default: []].append(.string(value))
    }
    if let ratio = curves.conversion.bloodBreathRatio {
      typed["blood_breath_ratio"] = [.number(ratio)]
    }
    if curves.noise.errorFrom == .subject { typed["error_from"] = ["subject"] }
    return .object(typed.sorted { $0.key < $1.key }.map { ($0.key, .array($0.value)) })
  }

  private func write(_ study: Study, as form: Form) throws {
    if form == .events { warnOfLostInstrument(study.instrument) }
    switch form {
    case .csv: try write(try StudyWriter.files(of: study))
    case .events: try output.write(try EventWriter.csv(study))
    case .nonmem: try writeNumbers(asUsed(study))
    case .sqlite: try writeDatabase(study)
    case .json: try output.write(JSONValue(study).document)
    }
  }

  /// The study as `promille population` uses it, and says which rows have no say.
  private func asUsed(_ study: Study) -> Study {
    let (used, leftOut) = study.asUsed(by: ReadingSelection())
    if !leftOut.isEmpty {
      let reasons = leftOut.map { "\($0.count) \($0.use.cause)" }.joined(separator: ", ")
      console.remark(
        "\(leftOut.map(\.count).reduce(0, +)) readings that promille population leaves out have MDV 1: \(reasons)"
      )
    }
    for series in (try? PopulationModel().leftOut(of: study)) ?? [] {
      let occasion = series.occasion.map { ", occasion \($0.quoted)" } ?? ""
      console.remark(
        "promille population leaves out subject \(series.subject.quoted)\(occasion), whose rows are written: "
          + "\(series.code): \(series.reason)")
    }
    return used
  }

  /// Writes a table of numbers, and says who has which.
  private func writeNumbers(_ study: Study) throws {
    let table = try NONMEMTable(study)
    try output.write(table.csv)
    guard !table.names.isEmpty else { return }
    let few = table.names.prefix(100)
    let more = table.names.count - 100
    console.remark(
      "numbered in the order of the study: \(few.joined(separator: ", "))"
        + (more > 0 ? ", and \(more) more" : ""))
  }

  /// Warns of the instrument, which decides how fits use readings and is left out.
  private func warnOfLostInstrument(_ instrument: Instrument?) {
    let window = instrument?.mouthAlcoholWindow.map {
      "--exclude-after-drink \(NumberStyle.exact($0.minutes))"
    }
    let limit = instrument?.limitOfDetection.map { "--lod \(NumberStyle.exact($0))" }
    let options = [window, limit].compactMap(\.self)
    guard !options.isEmpty else { return }
    console.warning(
      "W_INSTRUMENT_LEFT_OUT",
      "this format does not store the study's instrument; "
        + "to reproduce the fits, add \(options.joined(separator: " "))")
  }

  private func write(_ files: [(name: String, text: String)]) throws {
    try attempt { try FolderOutput.write(files, to: $0) }
  }

  private func writeDatabase(_ study: Study) throws {
    try attempt { try FolderOutput.requireNothing(at: $0) }
    let path = output.path ?? ""
    guard !StudyStore.accepts(input.study) else {
      let store = try StudyStore(path: input.study, for: .reading)
      return try DatabaseOutput.make(path) { try store.exportStudy(to: $0) }
    }
    _ = try DatabaseOutput.make(path) {
      try StudyStore.change($0) { try $0.add(study, from: self.input.study) }
    }
  }

  private func attempt(_ body: (String) throws -> Void) throws {
    let path = output.path ?? ""
    try console.attempt(path, "-o") { try body(path) }
  }

  var unused: [UnusedOptions?] {
    guard !notebook else {
      return curves.unused
    }
    return [
      UnusedOptions(
        EvaluationArguments.optionNames, if: true,
        "because readings are exported as they are and nothing is fitted; add --notebook, or leave it out"
      )
    ]
  }
}

extension JSONValue {
  /// A study as one document, with the names and units of study files.
  init(_ study: Study) {
    self = [
      "schema_version": .integer(Report.schemaVersion), "name": .string(study.name),
      "title": JSONValue(study.title),
      "instrument": study.instrument.map(JSONValue.init) ?? .null,
      "series": .array(study.series.map(JSONValue.init)),
    ]
  }

  private init(_ instrument: Instrument) {
    self = [
      "name": JSONValue(instrument.name), "resolution": JSONValue(instrument.resolution),
      "relative_accuracy": JSONValue(instrument.relativeAccuracy),
      "limit_of_detection": JSONValue(instrument.limitOfDetection),
      "mouth_alcohol_window_min": JSONValue(instrument.mouthAlcoholWindow?.minutes),
    ]
  }

  private init(_ series: Series) {
    let drinks = series.drinks.enumerated().map { JSONValue($1, series.uuids.drink($0)) }
    let readings = series.readings.enumerated().map {
      JSONValue($1, series.uuids.reading($0), series.sources[$0])
    }
    self = [
      "subject": JSONValue(series.subject), "occasion": JSONValue(series.occasion),
      "drinks": .array(drinks), "readings": .array(readings),
    ]
  }

  private init(_ subject: Subject) {
    let covariates = subject.covariates.sorted { $0.key < $1.key }
    self = [
      "subject": .string(subject.id), "sex": JSONValue(subject.sex?.rawValue),
      "age_y": JSONValue(subject.age?.value), "height_cm": JSONValue(subject.height?.centimetres),
      "weight_kg": JSONValue(subject.weight?.value),
      "covariates": .object(covariates.map { ($0.key, .string($0.value)) }),
    ]
  }

  private init(_ drink: Drink, _ uuid: UUID?) {
    let dose: (key: String, value: JSONValue) =
      switch drink.ethanol {
      case .mass(let grams): ("ethanol_g", .number(grams.value))
      case .perBodyWeight(let dose): ("ethanol_g_per_kg", .number(dose.value))
      }
    let times: Members = [
      ("time_min", .number(drink.time.minutes)), ("duration_min", .number(drink.duration.minutes)),
    ]
    let route: Members = drink.route == .oral ? [] : [("route", .string(drink.route.rawValue))]
    self = .object(times + [dose] + route + Self.member("uuid", uuid?.text))
  }

  private init(_ reading: Reading, _ uuid: UUID?, _ source: String?) {
    self = .object(
      [
        ("time_min", .number(reading.time.minutes)), ("value", .number(reading.value)),
        ("unit", .string(reading.unit.rawValue)), ("lod", JSONValue(reading.limitOfDetection)),
        ("exclude", .bool(reading.isExcluded)),
      ] + Self.member("uuid", uuid?.text) + Self.member("source", source))
  }

  /// The member of a record that only a record has that was given it.
  private static func member(_ name: String, _ text: String?) -> Members {
    text.map { [(name, .string($0))] } ?? []
  }
}
