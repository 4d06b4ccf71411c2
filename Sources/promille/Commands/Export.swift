import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import HealthData
import Reporting
import StudyData
import StudyStore

/// `promille export`
struct Export: ParsableCommand, CurveFitting {
  /// What a study can be written as.
  enum Form: String, CaseIterable, ExpressibleByArgument {
    /// A folder of tables.
    case csv
    /// A table of events.
    case nonmem
    /// The tables of measurements and conditions of PEtab.
    case petab
    /// A database.
    case sqlite
    /// One document.
    case json
  }

  static let configuration = CommandConfiguration(
    abstract: "Write a study in another form, or its results with a notebook.",
    discussion: """
      --to csv writes a study folder, sqlite a database, json one document with everything, and \
      petab the tables of measurements and conditions of PEtab, in a folder. Folders and databases \
      are made with -o and must not be there yet. Vital signs go to csv, sqlite and json, and \
      everything else that is in a database, runs and settings, to sqlite.

      --to nonmem writes one table of events as NONMEM reads it: ID, TIME in h, AMT in g, DV, EVID, \
      MDV, and what else the study needs. Subjects, drinks and readings come back from it to the \
      last digit; title and instrument are not part of it: fit with --exclude-after-drink and --lod \
      what was read by an instrument that has a window or a limit.

      --notebook writes a folder: what check, fit, compare and sober say as CSV and JSON, the \
      residuals, the curves minute by minute, and a Jupyter notebook that reads them with pandas and \
      draws the main figures with matplotlib. It takes the options of the fit and the prediction, \
      and ends with 1 if some subject could not be fitted.

      Examples:
        promille export datasets/nacar-2021 --to nonmem -o nacar.csv
        promille export study.sqlite --to csv -o study
        promille export datasets/nacar-2021 --notebook --estimate ka,beta,r -o results
      """)

  @OptionGroup var input: StudyOptions

  @Option(help: "What to write the study as.")
  var to: Form?

  @Flag(help: "Write results and a notebook into the folder that -o names.")
  var notebook = false

  @OptionGroup(title: "Output") var output: FileOptions
  @OptionGroup(title: "Model") var model: ModelArguments
  @OptionGroup(title: "Readings") var readings: ReadingArguments
  @OptionGroup(title: "Error of readings") var noise: ErrorArguments
  @OptionGroup(title: "Intervals") var intervals: IntervalArguments
  @OptionGroup(title: "Search for the minimum") var search: StartArguments
  @OptionGroup(title: "Prediction") var prediction: MethodArguments
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup var threads: JobsOption

  func validate() throws {
    guard (to != nil) != notebook else {
      throw ValidationError("Say what to write: --to with a form, or --notebook.")
    }
    guard !notebook || output.output != nil else {
      throw ValidationError("--notebook writes several files; name a folder with -o.")
    }
    let given = curve.given
    guard notebook || given.isEmpty else {
      throw ValidationError(
        "\(given.joined(separator: ", ")): about the fits of --notebook; leave it out.")
    }
    if notebook { try results.check() }
    guard output.output == nil, let to, [.csv, .petab, .sqlite].contains(to) else { return }
    throw ValidationError("--to \(to.rawValue) needs -o, a place to write to.")
  }

  func run() throws {
    let study = try input.read(output.console)
    guard let to else { return try results.write(study, from: input, to: output) }
    do {
      try write(study, as: to)
    } catch let error as StudyWritingError {
      throw refusal(error.code, "\(error)")
    } catch let error as StoreError {
      throw output.console.end(error)
    }
  }

  private var results: NotebookArguments {
    NotebookArguments(
      curve: curve, prediction: prediction, conversion: conversion, threads: threads)
  }

  private func write(_ study: Study, as form: Form) throws {
    if [.nonmem, .petab].contains(form) { tellWhatIsLeftOut(study.instrument) }
    switch form {
    case .csv: try write(try StudyWriter.files(of: study) + vitalFiles())
    case .nonmem: try output.write(try EventWriter.csv(study))
    case .petab: try write(PEtabWriter.files(of: study))
    case .sqlite: try writeDatabase(study)
    case .json: try output.write(JSONValue(study, input.readVitals(output.console)).document)
    }
  }

  /// What the study says of its instrument decides which readings a fit uses, and how.
  private func tellWhatIsLeftOut(_ instrument: Instrument?) {
    let window = instrument?.mouthAlcoholWindow.map {
      "--exclude-after-drink \(NumberStyle.exact($0.minutes))"
    }
    let limit = instrument?.limitOfDetection.map { "--lod \(NumberStyle.exact($0))" }
    let options = [window, limit].compactMap(\.self)
    guard !options.isEmpty else { return }
    output.console.warning(
      "promille: warning W_INSTRUMENT_LEFT_OUT: what the study says of its instrument is no part of "
        + "this form; fits of it are the same with \(options.joined(separator: " "))")
  }

  private func write(_ files: [(name: String, text: String)]) throws {
    try attempt { try FolderOutput.write(files, to: $0) }
  }

  private func writeDatabase(_ study: Study) throws {
    try attempt { try FolderOutput.requireNothing(at: $0) }
    let place = output.output ?? ""
    guard !StudyStore.accepts(input.study) else {
      let store = try StudyStore(path: input.study, for: .reading)
      return try DatabaseOutput.make(place) { try store.copy(to: $0) }
    }
    let vitals = try input.readVitals(output.console)
    let refusals = try DatabaseOutput.make(place) {
      try StudyStore.change($0) { try $0.add(study, vitals: vitals, from: input.study).refusals }
    }
    output.console.tell(refusals)
  }

  private func vitalFiles() throws -> [(name: String, text: String)] {
    let vitals = try input.readVitals(output.console)
    return vitals.isEmpty ? [] : [(VitalFile.name, VitalFile.text(of: vitals))]
  }

  private func attempt(_ body: (String) throws -> Void) throws {
    let place = output.output ?? ""
    try Destination(console: output.console).attempt(place, "-o") { try body(place) }
  }

  private func refusal(_ code: String, _ message: String) -> ExitCode {
    output.console.error("promille: error \(code): \(message)")
    return ExitStatus.badData
  }
}
