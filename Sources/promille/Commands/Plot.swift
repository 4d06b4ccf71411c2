import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting
import StudyData
import Validation

/// `promille plot`
struct Plot: CurveEvaluating {
  static let configuration = CommandConfiguration(
    abstract: "Draw one subject's readings with the fitted and the predicted curves.",
    discussion: """
      Draws the subject's figure from the report: readings with error bars, the fitted curve with its \
      confidence band, and the curve predicted with each r factor, by the same model. FILE ends in \
      .svg, .png or .pdf. Needs gnuplot.

      Example: promille plot datasets/nacar-2021 --subject 2 -o curve.svg
      """)

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
  @OptionGroup(title: "Prediction") var source: PredictionSource
  @OptionGroup(title: "Prediction") var kinetics: KineticOptions
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var output: PageOptions

  func validate() throws {
    guard format != nil else {
      throw ValidationError("-o is \(output.output); the name must end in .svg, .png or .pdf.")
    }
    try checkEvaluation("plot")
  }

  func run() throws {
    let folder = try console.temporaryFolder()
    var study = try input.read(console)
    conversion.tell(of: study, console)
    var index = try chosen(from: study)
    if !predictionOptions.needsWholeStudy {
      study.series = [study.series[index]]
      index = 0
    }
    let evaluation = try evaluation(of: study)
    let series = evaluation.series[index]
    try write(.curves(of: series, in: evaluation), as: format ?? .svg, in: folder)
    try endIfFailed(series)
  }

  /// Says which curves are not in the picture, and ends the command with 1 if one failed; that a
  /// method has no formula for somebody is no failure.
  private func endIfFailed(_ series: SeriesEvaluation) throws {
    var hasFailed = false
    if case .failure(let reason) = series.fit.result {
      console.warning("promille: \(subject) could not be fitted: \(reason.code): \(reason)")
      hasFailed = true
    }
    for comparison in series.comparisons {
      guard case .failure(let reason) = comparison.result else { continue }
      console.warning(
        "promille: no curve predicted by \(comparison.rFactor): \(reason.code): \(reason)")
      hasFailed = hasFailed || comparison.status == .failed
    }
    if hasFailed { throw ExitStatus.someFailed }
  }

  private var format: Figure.Format? {
    Figure.Format(rawValue: output.ending)
  }

  /// The index of the series that is asked for.
  private func chosen(from study: Study) throws -> Int {
    let index = study.series.firstIndex { series in
      series.subject.id == subject && (occasion == nil || series.occasion == occasion)
    }
    guard let index else {
      let wanted = occasion.map { "\(subject), occasion \($0)" } ?? subject
      console.error(
        "promille: error E_SUBJECT_UNKNOWN: the study has no subject \(wanted); "
          + "list the subjects with promille check")
      throw ExitStatus.noInput
    }
    return index
  }

  private func write(_ figure: Figure, as format: Figure.Format, in folder: PrivateFolder) throws {
    let drawn = try draw(figure, as: format, in: folder)
    for (_, data) in try console.attempt(output.output, "-o", { try drawn.files() }) {
      try console.write(data, to: output.output, option: "-o")
    }
  }

  private func draw(
    _ figure: Figure, as format: Figure.Format, in folder: PrivateFolder
  ) throws -> DrawnFigures {
    do throws(Gnuplot.Failure) {
      return try DrawnFigures([figure], as: format, with: try Gnuplot(), in: folder)
    } catch {
      console.error("promille: error \(error.code): \(error)")
      throw ExitStatus.cannotCreate
    }
  }
}
