import AlcoholKinetics
import ArgumentParser
import Foundation
import Reporting
import StudyData
import Validation

/// `promille plot`
struct Plot: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Draw one subject's readings, fitted curve and predicted curves.",
    discussion: """
      The picture of a subject in the report, by itself: readings with error bars, the fitted curve \
      with its band, and what each r factor predicts. gnuplot draws it.

      Example: promille plot datasets/nacar-2021 --subject 2 -o curve.svg
      """)

  @OptionGroup var input: StudyOptions

  @Option(help: "Whose curve.")
  var subject: String

  @Option(help: "Which occasion, where the subject has several. (default: the first)")
  var occasion: String?

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "Write the picture to FILE, which ends in .svg, .png or .pdf, whole or not at all.",
      valueName: "file"))
  var output: String

  @OptionGroup var curve: CurveArguments
  @OptionGroup(title: "Prediction") var prediction: MethodArguments
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions

  @Flag(name: .shortAndLong, help: "No warnings on standard error.")
  var quiet = false

  private var console: Console { Console(isQuiet: quiet) }

  func validate() throws {
    guard format != nil else {
      throw ValidationError("-o names \(output); end it in .svg, .png or .pdf.")
    }
    guard !curve.isComparison else {
      throw ValidationError("--model all ranks models; plot needs one.")
    }
    try curve.check(conversion.factors)
  }

  func run() throws {
    var study = try input.read(console)
    study.series = [try chosen(from: study)]
    let evaluation = try StudyEvaluation(
      of: study, fitOptions: curve.options(conversion.factors),
      predictionOptions: prediction.options(curve, conversion.factors))
    let figure = Figure.curves(of: evaluation.series[0], in: evaluation)
    try write(figure, as: format ?? .svg)
    guard case .failure(let reason) = evaluation.series[0].fit.result else { return }
    console.warning("promille: \(subject) could not be fitted: \(reason.code): \(reason)")
    throw ExitStatus.someFailed
  }

  private var format: Figure.Format? {
    Figure.Format(rawValue: URL(filePath: output).pathExtension.lowercased())
  }

  private func chosen(from study: Study) throws -> Series {
    let series = study.series.first { series in
      series.subject.id == subject && (occasion == nil || series.occasion == occasion)
    }
    guard let series else {
      let wanted = occasion.map { "\(subject), occasion \($0)" } ?? subject
      console.error(
        "promille: error E_SUBJECT_UNKNOWN: the study has no subject \(wanted); "
          + "promille check lists them")
      throw ExitStatus.noInput
    }
    return series
  }

  private func write(_ figure: Figure, as format: Figure.Format) throws {
    let drawn = try draw(figure, as: format)
    try Destination(console: console).copyFile(
      drawn.folder.appending(path: "\(figure.name).\(format.rawValue)"), to: output, option: "-o")
  }

  private func draw(_ figure: Figure, as format: Figure.Format) throws -> DrawnFigures {
    do throws(Gnuplot.Failure) {
      return try DrawnFigures([figure], as: format, with: try Gnuplot())
    } catch {
      console.error("promille: error \(error.code): \(error)")
      throw ExitStatus.cannotCreate
    }
  }
}
