import AlcoholKinetics
import ArgumentParser
import HealthData
import Reporting
import StudyData
import StudyStore

/// Which study is read.
struct StudyOptions: ParsableArguments {
  @Argument(
    help: """
      Folder with subjects.csv, drinks.csv and readings.csv; a study database; a table of events \
      as NONMEM has them; or - for such a table from standard input.
      """)
  var study: String

  @Option(
    name: .customLong("dv-unit"),
    help: ArgumentHelp(
      "Unit of DV in a table of events, named as in readings.csv. (default: bac_g_per_kg)",
      valueName: "unit"))
  var dvUnit: ConcentrationUnit?

  @Option(
    help: ArgumentHelp(
      "Take drinks that are named from FILE, in the form of datasets/drinks.json, instead of those "
        + "that are built in.",
      valueName: "file"))
  var drinksCatalogue: String?

  init() {}

  init(study: String) {
    self.study = study
    dvUnit = nil
    drinksCatalogue = nil
  }

  func validate() throws {
    guard dvUnit != nil, StudyFolder.isFolder(study) || StudyStore.accepts(study) else { return }
    throw ValidationError(
      "--dv-unit is about a table of events; \(study) states the unit of each reading itself.")
  }

  /// What is read.
  var paths: [String?] { [study, drinksCatalogue] }

  /// Reads the study, tells what is wrong with it, and ends the command if it cannot be used.
  func read(_ console: Console) throws -> Study {
    let study = try Self.orExit(console) { try load() }
    console.tell(study.allDiagnostics)
    return study
  }

  /// Reads curves that were predicted for a study in the same way: a file in the form of
  /// `readings.csv`, or the readings of another study.
  static func readCurves(_ path: String, of study: Study, _ console: Console) throws -> Study {
    guard !StudyStore.accepts(path), !StudyFolder.isFolder(path) else {
      return try StudyOptions(study: path).read(console)
    }
    let curves = try orExit(console) { try StudyReader.readCurves(path, of: study) }
    // What is wrong with the rest has been told before.
    console.tell(curves.allDiagnostics.filter { $0.location.file == path })
    return curves
  }

  /// Reads the vital signs that a folder or a database has beside the study; none for a table of
  /// events.
  func readVitals(_ console: Console) throws -> [VitalEntry] {
    guard !StudyStore.accepts(study) else {
      return try Self.orExit(console) {
        try StudyStore(path: study, for: .reading).vitalEntries()
      }
    }
    guard let file = try Self.orExit(console, { try VitalFile.read(inFolder: study) }) else {
      return []
    }
    console.tell(file.diagnostics)
    return file.entries
  }

  /// Opens the study to read a series at a time, tells what is wrong with it as a whole, and ends
  /// the command if it cannot be used.
  func stream(_ console: Console) throws -> StudyStream {
    let stream = try Self.orExit(console) {
      if StudyStore.accepts(study) { return StudyStream(try load()) }
      return try StudyStream(
        study, dvUnit: dvUnit ?? .bloodGramsPerKilogram, catalogue: catalogue())
    }
    console.tell(stream.diagnostics)
    return stream
  }

  /// Whether curves predicted for the study can be read a series at a time: those in a file, for a
  /// folder.
  func canStream(readingsFrom readings: String) -> Bool {
    StudyFolder.isFolder(study) && !StudyFolder.isFolder(readings) && !StudyStore.accepts(readings)
  }

  /// Opens the study with another file in the place of its readings, to read a series at a time.
  /// What is wrong with the rest of it is left to whoever opens the study itself.
  func stream(readingsFrom readings: String, _ console: Console) throws -> StudyStream {
    let stream = try Self.orExit(console) {
      try StudyStream(study, readingsFrom: readings, catalogue: catalogue())
    }
    console.tell(stream.diagnostics.filter { $0.location.file == readings })
    return stream
  }

  /// Runs a batch over a stream and ends its results, each written whole or not at all.
  ///
  /// - Parameters:
  ///   - batches: What is written.
  ///   - stream: The study, of which has been told what is wrong with it as a whole.
  ///   - run: Writes all rows and gives what was found in the study.
  static func run(
    _ batches: [RowBatch], over stream: sending StudyStream, _ console: Console,
    _ run: (sending StudyStream) throws -> [Diagnostic]
  ) throws {
    let told = stream.diagnostics.count
    do {
      console.tell(Array(try run(stream).dropFirst(told)))
      for batch in batches { try batch.finish() }
    } catch {
      for batch in batches { batch.clearProgress() }
      try Self.orExit(console) { throw error }
    }
  }

  /// Reads a study of estimates instead of series, in the same way.
  func readEstimates(_ console: Console) throws -> EstimateStudy {
    let study = try Self.orExit(console) { try EstimateReader.read(self.study) }
    console.tell(study.allDiagnostics)
    return study
  }

  /// Reads the study, in whichever form it is.
  ///
  /// - Throws: ``StudyError`` or ``StoreError``.
  func load() throws -> Study {
    guard StudyStore.accepts(study) else {
      return try StudyReader.read(
        study, dvUnit: dvUnit ?? .bloodGramsPerKilogram, catalogue: catalogue())
    }
    return try StudyStore(path: study, for: .reading).study()
  }

  /// Goes through the study a series at a time, in memory that does not grow with its readings.
  ///
  /// - Throws: ``StudyError``, with what was found in the rows before the study turned out to be
  ///   unreadable.
  func overview(using factors: ConversionFactors) throws(StudyError) -> StudyOverview {
    var stream = try StudyStream(
      study, dvUnit: dvUnit ?? .bloodGramsPerKilogram, catalogue: catalogue(), isDigested: true)
    var overview = StudyOverview(of: stream, using: factors)
    do throws(StudyError) {
      while let series = try stream.next() { overview.add(series) }
    } catch {
      throw StudyError(kind: error.kind, diagnostics: error.diagnostics + overview.rowFindings)
    }
    overview.findings = stream.diagnostics
    overview.inputs = try stream.inputs()
    return overview
  }

  private func catalogue() throws(StudyError) -> DrinkCatalogue {
    guard let drinksCatalogue else { return .standard }
    return try DrinkCatalogue(readingFrom: drinksCatalogue)
  }

  private static func orExit<Value>(_ console: Console, _ read: () throws -> Value) throws -> Value
  {
    do {
      return try read()
    } catch let error as StudyError {
      console.tell(error.diagnostics)
      throw error.exitCode
    } catch let error as StoreError {
      throw console.end(error)
    }
  }

  private var catalogueOption: [(name: String, value: JSONValue)] {
    drinksCatalogue.map { [("drinks_catalogue", .string($0))] } ?? []
  }

  /// How a result was made.
  func provenance(
    _ command: String,
    inputs: [InputDigest],
    factors: ConversionFactors,
    options: [(name: String, value: JSONValue)] = []
  ) -> Provenance {
    let unit = dvUnit.map { [("dv_unit", JSONValue.string($0.rawValue))] } ?? []
    return Provenance(
      version: Promille.version, command: command,
      options: [("study", .string(study))] + unit + catalogueOption + options, inputs: inputs,
      factors: factors)
  }
}

extension StudyError {
  /// How the command ends if a study cannot be read.
  var exitCode: ExitCode {
    switch kind {
    case .noInput: ExitStatus.noInput
    case .badData: ExitStatus.badData
    case .changed: ExitStatus.inputOutput
    }
  }
}
