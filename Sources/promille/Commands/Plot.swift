import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import Reporting
import StrictOptions
import StudyData
import Validation

struct Plot: ResultCommand {
  enum FileFormat: String, CaseIterable, ExpressibleByArgument {
    case svg, png, pdf
    /// The drawn values with their looks, for other programs that draw.
    case csv
  }

  /// A figure over everybody.
  enum Kind: String, CaseIterable, ExpressibleByArgument {
    case people, parameters, methods, residuals
    case sobrietyErrors = "sobriety-errors"
    case blandAltman = "bland-altman"
  }

  static let configuration = Help.configuration("plot")

  @OptionGroup var input: StudyOptions

  @Option(help: "Subject to draw. (default: everybody, in small charts)")
  var subject: String?

  @Option(help: "Occasion to draw, if the subject has several. (default: the first)")
  var occasion: String?

  @Option(
    help: ArgumentHelp("Without --subject: the figure of the report to draw.", valueName: "name"))
  var figure: Kind?

  @Option(
    help: ArgumentHelp(
      "Width on paper, as 85mm, 18cm or 3.35in: light colours, letters of 8 points, PNG with 600 dots to an inch. "
        + "(default: for a screen)", valueName: "length"), transform: PaperWidth.init(parsing:))
  var width: PaperWidth?

  @Option(help: "Format. (default: by the extension of FILE, or svg)")
  var format: FileFormat?

  @OptionGroup var curves: EvaluationArguments
  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var output: PageOptions

  var factors: ConversionFactors { curves.conversion.factors }
  var members: OptionMembers { curves.members }
  var unused: [UnusedOptions?] { curves.unused }

  /// The height of a page without its margins, in mm.
  private static let page = 250.0
  /// More small charts than these show nobody.
  private static let mostPeople = 120

  func validate() throws {
    try require(
      format != nil || output.path == nil || FileFormat(rawValue: output.ending) != nil,
      "-o is \(output.file); the name must end in .svg, .png, .pdf or .csv, or add --format.")
    try require(
      subject != nil || occasion == nil, "--occasion is one of a subject; add --subject.")
    try require(
      subject == nil || figure == nil, "--figure is over everybody; leave out --subject.")
    try require(
      width == nil || fileFormat != .csv, "--width is for pictures; leave it out with csv.")
    try curves.check("plot")
  }

  mutating func run() throws {
    try input.resolve(&curves.conversion, console)
    // Before the fits, which may take long.
    let converter = try PictureConverter.Format(rawValue: fileFormat.rawValue).map {
      ($0, try PictureConverter())
    }
    input.resolve(&curves.noise, for: curves.fitOptions, console)
    let whole = try input.read(console, curves.given)
    curves.conversion.warn(about: whole, console)
    var study = whole
    let wanted = try indices(in: whole)
    let isPart = !curves.predictionOptions.needsWholeStudy
    if isPart { study.series = wanted.map { whole.series[$0] } }
    curves.typical.setFood(from: study, console)
    let evaluation = try curves.evaluation(of: study, in: whole, jobs: threads.count)
    let shown = isPart ? evaluation.series : wanted.map { evaluation.series[$0] }
    guard let figure = figure(of: evaluation, shown) else {
      throw Refusal(
        "E_FIGURE", "there is nothing to draw; promille check shows what the study contains",
        ExitStatus.badData)
    }
    let picture =
      try converter.map { format, program in
        try program.picture(of: figure, as: format, millimetres: width?.millimetres)
      } ?? Data(text(of: figure).utf8)
    if let height = width.map({ figure.height(millimetres: $0.millimetres) }), height > Self.page {
      console.remark(
        "the picture is \(Int(height)) mm tall, more than a page; a greater --width "
          + "has more charts side by side")
    }
    try console.write(picture, to: output.path, option: "-o")
    try endIfFailed(shown)
  }

  private func figure(of study: StudyEvaluation, _ shown: [SeriesEvaluation]) -> Figure? {
    guard subject == nil else { return .curves(of: shown[0], in: study) }
    return switch figure ?? .people {
    case .people: .people(shown, in: study)
    case .parameters: .parameters(of: study)
    case .methods: .methods(of: study)
    case .residuals: .residuals(of: study)
    case .sobrietyErrors: .sobrietyErrors(of: study)
    case .blandAltman: .blandAltman(of: study)
    }
  }

  private func text(of figure: Figure) -> String {
    guard fileFormat != .csv else { return figure.csv }
    return (width?.millimetres).map(figure.svg(millimetres:)) ?? figure.svg
  }

  private var fileFormat: FileFormat { format ?? FileFormat(rawValue: output.ending) ?? .svg }

  /// Says which curves are not in the picture, and ends the command with 1 if one failed. A method
  /// without a formula for the subject is not a failure.
  private func endIfFailed(_ shown: [SeriesEvaluation]) throws {
    guard let subject else {
      let failed = shown.count { $0.fit.hasFailed }
      guard failed > 0 else { return }
      console.remark(
        "\(failed) of \(shown.count) series have no fitted curve; promille fit says why")
      throw ExitStatus.someFailed
    }
    var hasFailed = false
    if case .failure(let reason) = shown[0].fit.result {
      console.remark("\(subject) could not be fitted: \(reason.code): \(reason)")
      hasFailed = true
    }
    for score in shown[0].scores {
      guard case .failure(let reason) = score.curve else { continue }
      console.remark("no curve predicted by \(score.method): \(reason.code): \(reason)")
      hasFailed = hasFailed || score.curveStatus == .failed
    }
    if hasFailed { throw ExitStatus.someFailed }
  }

  /// The series that are drawn: the one that is asked for, or all; as people, at most so many, evenly spread.
  private func indices(in study: Study) throws -> [Int] {
    let all = study.series.indices
    guard subject == nil else { return [try chosen(from: study)] }
    guard [nil, .people].contains(figure), all.count > Self.mostPeople else { return Array(all) }
    console.remark(
      "drawn are \(Self.mostPeople) of \(all.count) series, evenly spread; --subject draws one")
    return (0..<Self.mostPeople).map { $0 * all.count / Self.mostPeople }
  }

  /// The index of the series that is asked for.
  private func chosen(from study: Study) throws -> Int {
    let index = study.series.firstIndex { series in
      series.subject.id == subject && (occasion == nil || series.occasion == occasion)
    }
    guard let index else {
      let subject = subject ?? ""
      let name = occasion.map { "\(subject), occasion \($0)" } ?? subject
      throw Refusal(
        "E_SUBJECT",
        "the study has no subject \(name); list the subjects with promille check",
        ExitStatus.noInput)
    }
    return index
  }
}

/// The width of a picture in a paper.
struct PaperWidth: TypedValue, Sendable {
  let text: String
  let millimetres: Double

  private static let units = ["mm": 1, "cm": 10, "in": 25.4]

  init(parsing text: String) throws {
    let unit = String(text.suffix(2))
    guard let factor = Self.units[unit],
      let number = Double(text.dropLast(2).trimmingCharacters(in: .whitespaces)),
      (40...600).contains(number * factor)
    else {
      throw ValidationError("\(text) is not a width of 40 to 600 mm; write 85mm, 18cm or 3.35in.")
    }
    self.text = text
    millimetres = number * factor
  }
}
