import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import Reporting
import Spreadsheets
import StudyData
public import StudyFiles
import StudyStore

struct StudyOptions: FileNaming {
  @Argument(
    help: """
      Folder with subjects.csv, drinks.csv and readings.csv; a spreadsheet (.xlsx or CSV); a database; a table of events \
      in NONMEM's layout; or - for standard input.
      """, completion: .file())
  var study: String

  @Option(
    help: ArgumentHelp(
      "Unit of DV in a table of events, which promille explain units lists. "
        + "(default: \(usualUnit.rawValue))",
      valueName: "unit"), completion: ConcentrationUnit.completion,
    transform: ConcentrationUnit.named)
  var dvUnit: ConcentrationUnit?

  private static let usualUnit = ConcentrationUnit.bloodGramsPerKilogram

  @Option(
    help: ArgumentHelp(
      "Look up drink names in FILE, laid out like datasets/drinks.json, instead of the built-in "
        + "catalogue.",
      valueName: "file"), completion: .file())
  var drinksCatalogue: String?

  @OptionGroup var columns: MapOption
  @OptionGroup var clocks: ClockOption
  @OptionGroup var table: InputFormatOption

  init() {}

  /// - Parameter table: Parsed; nil for text.
  init(study: String, columns: MapOption, table: InputFormatOption? = nil) {
    self.study = study
    self.columns = columns
    clocks = ClockOption()
    clocks.timeZone = nil
    // What was not parsed has no value unless it is given one.
    var text = InputFormatOption()
    text.inputFormat = .csv
    self.table = table ?? text
    dvUnit = nil
    drinksCatalogue = nil
  }

  /// True if no option says how to read a table.
  var isPlain: Bool {
    dvUnit == nil && drinksCatalogue == nil && columns.map.isEmpty && clocks.timeZone == nil
      && table.inputFormat == .csv
  }

  var namedFiles: [NamedFile] { [.read(study), .read(drinksCatalogue)] }

  /// These options for another study.
  func naming(_ study: String) -> Self {
    var options = self
    options.study = study
    // These say how a file is read; a folder or a database says it itself.
    if StudyReader.isFolder(study) || StudyStore.accepts(study) {
      options.table.inputFormat = .csv
      options.dvUnit = nil
    }
    return options
  }

  // MARK: Opening

  /// Opens the study, in whichever form it is.
  ///
  /// - Parameters:
  ///   - option: The option that says what columns are.
  ///   - given: Tables of predictions, whose columns it may be about, too.
  /// - Throws: ``StudyError`` or ``StoreError``; a usage error if an option is not about its form.
  func open(
    stating option: String = "--map", besides given: PredictionFiles? = nil
  ) throws -> StudyReader {
    let map = columns.map.isEmpty ? .empty : columns.columnMap.besides(try given?.headers() ?? [])
    let isArrow = table.inputFormat != .csv
    try require(
      !isArrow || !StudyReader.isFolder(study),
      "--input-format \(table.inputFormat.rawValue) is for a file or standard input; \(study) is a folder. "
        + "Leave it out.")
    try require(
      !isArrow || !map.isRequired,
      "\(option) is for tables of text; name the columns of the Arrow stream as those of the table."
    )
    let reader =
      isArrow || !StudyStore.accepts(study)
      ? try StudyReader(
        sheet: study, dvUnit: dvUnit ?? Self.usualUnit, catalogue: catalogue(),
        map: map.read(by: clocks.zone), format: table.inputFormat)
      : try StudyReader(database: study)
    try require(
      clocks.timeZone == nil || !reader.taken.isEmpty,
      "--time-zone is about dates with times of day; \(study) has minutes or hours. Leave it out.")
    try require(
      !map.isRequired || ![.database, .estimates].contains(reader.form),
      "\(option) is for tables in files and folders; \(study) has the usual names. Leave it out.")
    try require(
      dvUnit == nil || reader.form == .table || reader.form == .standardInput,
      "--dv-unit is for a table of events; \(study) states the unit itself. Leave it out.")
    return reader
  }

  private func catalogue() throws(StudyError) -> DrinkCatalogue {
    guard let drinksCatalogue else { return .standard }
    return try DrinkCatalogue(readingFrom: drinksCatalogue)
  }

  /// Opens the study, and shows what its columns were taken as.
  func open(_ console: Console, besides given: PredictionFiles? = nil) throws -> StudyReader {
    let reader = try open(besides: given)
    console.showColumns(reader.taken, reader.summary, of: reader.path)
    return reader
  }

  /// Reads the study with the predictions of models, and reports what is wrong with them.
  ///
  /// - Parameter reader: The study, if it is open.
  func read(
    _ console: Console, _ given: PredictionFiles? = nil, from reader: StudyReader? = nil
  ) throws -> Study {
    let reader = try reader ?? open(console, besides: given)
    let study = try reader.study()
    console.report(study.allDiagnostics)
    guard let given, !given.isEmpty else { return study }
    var stream = StudyStream(study).with(
      try given.open(columns.columnMap, console, starts: reader.starts))
    let whole = try stream.rest()
    console.report(Array(whole.diagnostics.dropFirst(study.diagnostics.count)))
    return whole
  }

  /// Opens the study to read a series at a time, and reports what is wrong with it as a whole; what is wrong with
  /// predictions of models is among the stream's findings after the last series.
  ///
  /// - Parameter reader: The study, if it is open.
  /// - Returns: The stream of all subjects or a part.
  func stream(
    _ console: Console, _ part: PartOption? = nil, _ given: PredictionFiles? = nil,
    from reader: StudyReader? = nil
  ) throws -> StudyStream {
    let reader = try reader ?? open(console, besides: given)
    var stream = try reader.stream()
    console.report(stream.diagnostics)
    if let given, !given.isEmpty {
      stream = stream.with(
        try given.open(columns.columnMap, console, starts: reader.starts))
    }
    guard let part = part?.subjectsPart else { return stream }
    return stream.of(part)
  }

  /// Warns about data of a study day that are left out: vital signs, and the blood:breath ratio.
  func warnOfStudyDayData(_ console: Console) throws {
    let remedy: String
    if StudyStore.accepts(study) {
      let store = try StudyStore(path: study, for: .reading)
      if let ratio = try store.bloodBreathRatio() {
        console.warning(
          "W_INSTRUMENT_LEFT_OUT",
          "the blood:breath ratio from the settings of the study day is left out; to convert breath readings as "
            + "before, add --blood-breath-ratio \(NumberStyle.exact(ratio))", at: study)
      }
      guard try store.hasVitals() else { return }
      remedy = "write them with promille serve vitals \(study.quotedForShell) --export vitals.csv"
    } else {
      let file = URL(filePath: study).appending(path: "vitals.csv").path(percentEncoded: false)
      guard StudyReader.isFolder(study), FileManager.default.fileExists(atPath: file) else {
        return
      }
      remedy =
        "import them with promille serve import-health \(study.quotedForShell) --into DATABASE"
    }
    console.warning(
      "W_VITALS_LEFT_OUT", "the vital signs beside the study are left out; \(remedy)", at: study)
  }

  // MARK: Going through it

  /// Sets the blood:breath ratio of a study day, unless an option states one.
  ///
  /// - Parameter others: Further studies whose readings are converted in the same way.
  func resolve(
    _ conversion: inout ConversionOptions, with others: [String] = [], _ console: Console
  ) throws {
    guard conversion.bloodBreathRatio == nil else { return }
    let ratios = try Set(
      ([study] + others).filter(StudyStore.accepts).compactMap {
        try StudyStore(path: $0, for: .reading).bloodBreathRatio()
      })
    try require(
      ratios.count < 2,
      "the settings of the study days state different blood:breath ratios: "
        + ratios.sorted().map { NumberStyle.exact($0) }.joined(separator: ", ")
        + ". State one with --blood-breath-ratio.")
    guard let ratio = ratios.first else { return }
    conversion.bloodBreathRatio = ratio
    console.remark(
      "the blood:breath ratio is \(NumberStyle.exact(ratio)), from the settings of the study day"
    )
  }

  /// Reads a study a series at a time, in memory that does not grow with its readings.
  ///
  /// - Throws: ``StudyError``, with what was found in the series before the study turned out to be
  ///   unreadable, or ``StoreError``.
  static func overview(
    of reader: StudyReader, takingDigests: Bool, using factors: ConversionFactors,
    _ console: Console
  ) throws -> StudyOverview {
    var drinks = DrinkTimes()
    var stream = try reader.stream(takingDigests: takingDigests)
    var overview = StudyOverview(of: stream, using: factors)
    do {
      while let series = try stream.next() {
        overview.add(series)
        drinks.add(series)
      }
    } catch let error as StudyError {
      throw StudyError(kind: error.kind, diagnostics: error.diagnostics + overview.allFindings)
    }
    if reader.summary.isEmpty { console.showDrinkTimes(drinks, of: reader.path) }
    overview.findings = stream.diagnostics
    overview.taken = reader.taken
    overview.inputs = stream.inputs
    return overview
  }

  /// Estimates errors for each subject if the study can be read only once, so that results need not
  /// wait for its end.
  ///
  /// Errors are then independent unless stated otherwise; at the end the study's test tells whether they were.
  func resolve(_ noise: inout ErrorArguments, for options: FitOptions, _ console: Console) {
    guard options.usesStudyError, StudyReader.isReadOnce(study) else { return }
    if noise.correlation == .automatic { noise.correlation = .independent }
    var options = options
    options.correlation = noise.correlation
    guard options.usesStudyError else { return }
    noise.errorFrom = .subject
    console.remark(
      "standard input is read once, so errors are estimated for each subject (--error-from subject); a file has "
        + "one estimate for the study, which --error and --correlation accept"
    )
  }

  /// The options with the error model of the study, which is opened once more.
  func withStudyError(_ options: FitOptions, jobs: Int) throws -> FitOptions {
    try options.withStudyError(of: try open().stream(), jobs: jobs)
  }
}

/// The stated meaning of the columns of a study.
struct MapOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Say what a column is: \"Weight (kg)=weight_kg,Device=ignore\".",
      discussion: """
        Needed only where a header is not recognised or its unit is not stated; the error then names \
        the choices. * stands for all columns that are called by a time. promille explain map lists all \
        names.
        """,
      valueName: "header=name"), transform: { try ColumnMap($0) })
  var map: [ColumnMap] = []

  init() {}

  func validate() throws {
    do {
      try columnMap.requireAgreement()
    } catch {
      throw ValidationError("--map: \(error.description)")
    }
  }

  var columnMap: ColumnMap { map.reduce(.empty) { $0.merging($1) } }
}

extension ColumnMap: TypedValue {}

/// The time zone of a table with times of day.
struct ClockOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Time zone of a table with dates and times of day, such as Europe/Berlin, so that hours are counted correctly when clocks change.",
      valueName: "zone"))
  var timeZone: String?

  init() {}

  func validate() throws { try Self.check(timeZone) }

  static func check(_ timeZone: String?) throws {
    guard let timeZone, ClockZone(timeZone) == nil else { return }
    throw ValidationError(
      "--time-zone: there is no time zone \(timeZone.debugDescription); \(ClockZone.advice(on: timeZone))."
    )
  }

  var zone: ClockZone? { timeZone.flatMap { ClockZone($0) } }
}

/// The factors for converting readings to g per kg of blood.
struct ConversionOptions: ParsableArguments {
  @Option(name: .customLong("blood-density"), help: "Density of whole blood in kg/L.")
  var bloodDensityKgPerL = ConversionFactors().bloodDensityKgPerL

  @Option(
    help: """
      Blood:breath ratio of ethanol, by volume; 2000 and 2300 are also in use, and volunteers had 2349 \
      (SD 176). State it for breath readings. (default: \(Self.usualRatio))
      """)
  var bloodBreathRatio: Double?

  private static let usualRatio = ConversionFactors().bloodBreathRatio

  @Option(help: "Serum:blood ratio of ethanol, by volume; published values are 1.12 to 1.24.")
  var serumBloodRatio = ConversionFactors().serumBloodRatio

  func validate() throws {
    try requirePositive("--blood-density", bloodDensityKgPerL)
    try requirePositive("--blood-breath-ratio", bloodBreathRatio)
    try requirePositive("--serum-blood-ratio", serumBloodRatio)
  }

  var factors: ConversionFactors {
    ConversionFactors(
      bloodDensityKgPerL: bloodDensityKgPerL,
      bloodBreathRatio: bloodBreathRatio ?? Self.usualRatio,
      serumBloodRatio: serumBloodRatio)
  }

  /// Ratios that were measured in people lie in this range.
  private static let plausibleRatios = 1000.0...3500

  /// Warns if breath readings are converted by an assumed or an implausible ratio.
  func warn(about unit: ConcentrationUnit?, _ console: Console) {
    guard let unit, unit.isBreath else { return }
    if let ratio = bloodBreathRatio {
      guard !Self.plausibleRatios.contains(ratio) else { return }
      console.warning(
        "W_BREATH_RATIO_FAR",
        "a blood:breath ratio of \(NumberStyle.exact(ratio)) is not one that people have. State it by volume, as "
          + "--blood-breath-ratio 2100.")
      return
    }
    console.warning(
      "W_BREATH_RATIO_ASSUMED",
      "the blood:breath ratio is not stated; breath readings are "
        + "converted with \(Int(Self.usualRatio)). Volunteers had 2349 (SD 176), which makes concentrations in blood "
        + "12 % higher. State the instrument's with --blood-breath-ratio.")
  }

  /// Warns if breath readings of a study are converted by an assumed ratio.
  func warn(about study: Study, _ console: Console) {
    warn(
      about: study.series.lazy.compactMap { $0.readings.first?.unit }.first { $0.isBreath }, console
    )
  }
}

extension InputDigest {
  init(file: String, of data: Data) {
    self.init(file: file, sha256: data.withUnsafeBytes(SHA256.hexDigest))
  }
}
