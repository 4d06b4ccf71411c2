import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import Reporting
import StrictOptions
import StudyData
import Validation

struct Plot: ResultCommand {
  static let configuration = Help.configuration("plot")

  @OptionGroup var input: StudyOptions

  @Option(help: "Subject to draw.")
  var subject: String

  @Option(help: "Occasion to draw, if the subject has several. (default: the first)")
  var occasion: String?

  @OptionGroup var curves: EvaluationArguments
  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var output: PageOptions

  var factors: ConversionFactors { curves.conversion.factors }
  var members: OptionMembers { curves.members }
  var unused: [UnusedOptions?] { curves.unused }

  func validate() throws {
    try require(
      output.path == nil || output.ending == "svg" || format != nil,
      "-o is \(output.file); the name must end in .svg, .png or .pdf.")
    try curves.check("plot")
  }

  mutating func run() throws {
    try input.resolve(&curves.conversion, console)
    // Before the fits, which may take long.
    let converter = try format.map { try self.converter($0) }
    input.resolve(&curves.noise, for: curves.fitOptions, console)
    let whole = try input.read(console, curves.given)
    var study = whole
    curves.conversion.warn(about: study, console)
    var index = try chosen(from: study)
    if !curves.predictionOptions.needsWholeStudy {
      study.series = [study.series[index]]
      index = 0
    }
    curves.typical.setFood(from: study, console)
    let evaluation = try curves.evaluation(of: study, in: whole, jobs: threads.count)
    let series = evaluation.series[index]
    let figure = Figure.curves(of: series, in: evaluation)
    try console.write(
      try converter?(figure) ?? Data(figure.svg.utf8), to: output.path, option: "-o")
    try endIfFailed(series)
  }

  /// Says which curves are not in the picture, and ends the command with 1 if one failed. A method
  /// without a formula for the subject is not a failure.
  private func endIfFailed(_ series: SeriesEvaluation) throws {
    var hasFailed = false
    if case .failure(let reason) = series.fit.result {
      console.remark("\(subject) could not be fitted: \(reason.code): \(reason)")
      hasFailed = true
    }
    for score in series.scores {
      guard case .failure(let reason) = score.curve else { continue }
      console.remark("no curve predicted by \(score.method): \(reason.code): \(reason)")
      hasFailed = hasFailed || score.curveStatus == .failed
    }
    if hasFailed { throw ExitStatus.someFailed }
  }

  /// The format to convert the SVG to; nil for SVG itself.
  private var format: PictureConverter.Format? {
    PictureConverter.Format(rawValue: output.ending)
  }

  /// Returns a function that makes pictures of figures.
  private func converter(
    _ format: PictureConverter.Format
  ) throws -> (Figure) throws -> Data {
    let program = try PictureConverter()
    return { try program.picture(of: $0, as: format) }
  }

  /// The index of the series that is asked for.
  private func chosen(from study: Study) throws -> Int {
    let index = study.series.firstIndex { series in
      series.subject.id == subject && (occasion == nil || series.occasion == occasion)
    }
    guard let index else {
      let name = occasion.map { "\(subject), occasion \($0)" } ?? subject
      throw Refusal(
        "E_SUBJECT",
        "the study has no subject \(name); list the subjects with promille check",
        ExitStatus.noInput)
    }
    return index
  }
}
