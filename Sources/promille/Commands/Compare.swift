import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting
import StrictOptions
import StudyData
import StudyFiles
import Validation

struct Compare: ResultCommand {
  /// The groups that a summary can be split by.
  enum Group: String, CaseIterable, ExpressibleByArgument {
    case sex
  }

  static let configuration = Help.configuration("compare", ["range": naming])

  /// The range over which a method must be better to be called better.
  private static let naming = KineticRange.plausible(.widmark).ranges.sorted { $0.key < $1.key }
    .map { parameter, range in
      let ends = [range.lowerBound, range.upperBound].map { NumberStyle.exact($0) }
      return "\(parameter.symbol) \(ends.joined(separator: "-")) \(parameter.unit)"
    }.joined(separator: " and ")

  @OptionGroup var input: StudyOptions
  @OptionGroup var prediction: PredictionArguments

  @Flag(
    help: "Show a row for each subject and method, as csv, json and ndjson do without --summary.")
  var subjects = false

  @Flag(help: "Summarise each method; on a terminal that is so without it.")
  var summary = false

  @Flag(
    help: "Summarise paired differences between methods first (CSV holds these).")
  var pairs = false

  @Option(help: "Also summarise men and women separately.")
  var by: Group?

  @OptionGroup var shares: WithinOption
  @OptionGroup var details: DetailsOption
  @OptionGroup(title: "Intervals") var intervals: BootstrapArguments
  @OptionGroup var part: PartOption
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var output: OutputOptions

  var factors: ConversionFactors { conversion.factors }
  var predictionOptions: PredictionOptions { prediction.options(factors) }
  var members: OptionMembers { prediction.members(factors) }

  func validate() throws {
    try prediction.check()
    try part.check(isByRow: isStreamed)
    try require(
      !subjects || !(summary || pairs || by != nil),
      "--subjects shows rows of subjects, --summary, --pairs and --by sum them up; choose one.")
  }

  /// Whether rows are written while the study is read.
  private var isStreamed: Bool {
    output.resolvedFormat.isByRow && !isSummary && !predictionOptions.needsWholeStudy
  }

  mutating func run() throws {
    try input.resolve(&conversion, console)
    let reader = try input.open(console, besides: prediction.given)
    guard reader.form != .estimates else {
      try require(
        prediction.given.isEmpty,
        "--predictions are compared with readings, and \(input.study) has estimates. Leave it out.")
      let study = try reader.estimates()
      console.report(study.allDiagnostics)
      return try compareEstimates(study)
    }
    guard isStreamed else {
      let study = try input.read(console, prediction.given, from: reader)
      conversion.warn(about: study, console)
      prediction.typical.setFood(from: study, console)
      return try summarise(study)
    }
    let stream = try input.stream(console, part, prediction.given, from: reader)
    let columns = Report.comparisons.columns.named()
    let batch = try batch(columns, of: stream, conversion, prediction.typical)
    try batch.writeScores(
      of: stream, columns, try Scorer(predictionOptions), jobs: threads.count, console
    ) { $0.curveStatus == .failed }
  }

  /// Predicts a study, scores it, and prints the scores, or what they come to.
  private func summarise(_ study: Study) throws {
    let options = predictionOptions
    let scores = try Scorer(options).scores(of: study, jobs: threads.count)
    var errors = ErrorDiagnosticSums()
    for score in scores { errors.add(score) }
    let provenance = provenance(
      inputs: study.inputs, thresholds: SobrietyThreshold.used(in: scores))
    console.warn(about: try AbsorptionMismatch(in: study, options))
    // A table has a place for them.
    if output.resolvedFormat != .table {
      console.warn(about: errors.diagnostics)
      console.warn(about: GivenModelCheck(scores))
    }
    try output.print(
      try report(on: scores, errors.diagnostics, of: study, options, provenance),
      // Pairs and sexes are tables among the details.
      details: details.details || pairs || by != nil)
    try console.endIfFailed(scores.count { $0.curveStatus == .failed }, of: scores.count)
  }

  private func compareEstimates(_ study: EstimateStudy) throws {
    let comparisons = RComparison.comparisons(of: study, by: prediction.methods)
    let ratios = BloodBreathRatio.ratios(of: study, using: factors)
    let bootstrap = intervals.bootstrap
    let bySex = by == .sex
    let ratio = Sample(ratios.map(\.value))
    let provenance = provenance(inputs: study.inputs)
    try output.print(
      isSummary
        ? .rSummary(
          of: comparisons, bySex: bySex, requiresAllMethods: prediction.method.rFactor.areNamed,
          ratio: ratio,
          by: prediction.methods, pairsFirst: pairs,
          bootstrap: bootstrap, provenance: provenance)
        : .rComparison(
          comparisons,
          summaries: RComparisonSummary.summaries(
            of: comparisons, bySex: bySex, bootstrap: bootstrap),
          ratio: ratio, by: prediction.methods, bootstrap: bootstrap, provenance: provenance))
    try console.endIfFailed(comparisons.count { $0.status == .failed }, of: comparisons.count)
  }

  /// Whether methods are summed up, and not listed by subject.
  var isSummary: Bool {
    summary || pairs || by != nil || !subjects && output.resolvedFormat == .table
  }

  private func report(
    on scores: [Score], _ diagnostics: [ErrorDiagnostics], of study: Study,
    _ options: PredictionOptions, _ provenance: Provenance
  ) throws -> Report {
    var rows = Report.comparison(
      scores, diagnostics: diagnostics, options: options, provenance: provenance)
    // JSON has rows, and the answer that a table shows.
    guard isSummary || output.resolvedFormat == .json && !subjects else { return rows }
    let naming = try KineticSensitivity(of: study, scores, options: options, jobs: threads.count)
    let limits = shares.within.values
    let shown = Report.comparisonSummary(
      ComparisonSummary(
        of: scores, diagnostics: diagnostics, naming: naming, within: limits,
        bootstrap: intervals.bootstrap, bySex: by == .sex,
        requiresAllMethods: prediction.method.rFactor.areNamed),
      of: scores, options: options, level: intervals.level, within: limits,
      pairsFirst: pairs, provenance: provenance)
    rows.firstScreen = shown.firstScreen
    return isSummary ? shown : rows
  }

  var following: String? { samePage }

  var unused: [UnusedOptions?] {
    // A summary fits to judge whether one method can be called better.
    predictionOptions.unused.map {
      UnusedOptions(isSummary ? $0.without(["starts", "engine"]) : $0)
    } + [
      UnusedOptions(
        WithinOption.optionNames, if: !isSummary,
        "because rows of subjects count no errors; add --summary, or leave it out"),
      output.unusedDetails,
    ]
  }
}
