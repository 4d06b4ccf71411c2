import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import Reporting
import StudyData
import Validation

struct Plot: CurveEvaluating {
  static let configuration = Help.configuration("plot")

  @OptionGroup var input: StudyOptions

  @Option(help: "Subject to draw.")
  var subject: String

  @Option(help: "Occasion to draw, if the subject has several. (default: the first)")
  var occasion: String?

  @OptionGroup(title: "Model") var model: ModelArguments
  @OptionGroup(title: "Model") var typical: TypicalOption
  @OptionGroup(title: "Model") var water: BloodWaterOption
  @OptionGroup(title: "Readings") var readings: ReadingArguments
  @OptionGroup(title: "Error of readings") var noise: ErrorArguments
  @OptionGroup(title: "Intervals") var intervals: IntervalArguments
  @OptionGroup(title: "Search for the minimum") var search: SearchArguments
  @OptionGroup(title: "Search for the minimum") var design: StartArguments
  @OptionGroup(title: "Prediction") var prediction: MethodArguments
  @OptionGroup(title: "Prediction") var given: PredictionFiles
  @OptionGroup(title: "Prediction") var source: PredictionSource
  @OptionGroup(title: "Prediction") var kinetics: KineticOptions
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var output: PageOptions

  func validate() throws {
    try require(
      output.path == nil || output.ending == "svg" || format != nil,
      "-o is \(output.file); the name must end in .svg, .png or .pdf.")
    try checkEvaluation("plot")
  }

  mutating func run() throws {
    try input.allowMap(for: given)
    try input.settle(&conversion, console)
    // Before the fits, which may take long.
    let converter = try format.map { try self.converter($0) }
    input.settle(&noise, for: fitOptions, console)
    let whole = try input.read(console, given)
    var study = whole
    conversion.tell(of: study, console)
    var index = try chosen(from: study)
    if !predictionOptions.needsWholeStudy {
      study.series = [study.series[index]]
      index = 0
    }
    let evaluation = try learning(from: study, console).evaluation(of: study, in: whole)
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

  /// What an SVG has to be converted to; nil for SVG itself.
  private var format: PictureConverter.Format? {
    PictureConverter.Format(rawValue: output.ending)
  }

  /// What makes pictures of figures.
  private func converter(
    _ format: PictureConverter.Format
  ) throws -> (Figure) throws -> Data {
    let folder = try console.temporaryFolder()
    let program = try PictureConverter()
    return { try program.picture(of: $0, as: format, in: folder) }
  }

  /// The index of the series that is asked for.
  private func chosen(from study: Study) throws -> Int {
    let index = study.series.firstIndex { series in
      series.subject.id == subject && (occasion == nil || series.occasion == occasion)
    }
    guard let index else {
      let wanted = occasion.map { "\(subject), occasion \($0)" } ?? subject
      throw Refusal(
        "E_SUBJECT",
        "the study has no subject \(wanted); list the subjects with promille check",
        ExitStatus.noInput)
    }
    return index
  }
}
