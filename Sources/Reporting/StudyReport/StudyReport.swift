import AlcoholKinetics
import Estimation
import StudyData
import StudyFiles
package import Validation

extension Page {
  /// A study as an article: the answer with a table and a picture, people, parameters, readings left out, how it was
  /// computed and from what. Everything else is in an appendix that opens on demand.
  ///
  /// - `evidence`: How models with one parameter more fit the study; none if they were not fitted.
  /// - `population`: A fit of everybody at once, if the report is to show one.
  /// - `shown`: How many series are shown with pictures, evenly spread over the study.
  /// - `isAppendixOpen`: Whether the appendix is open, and so is printed.
  package static func report(
    on study: StudyEvaluation, evidence: [ModelEvidence] = [],
    population: PopulationAnswer? = nil, provenance: Provenance,
    shown: Int,
    isAppendixOpen: Bool = false
  ) -> Page {
    StudyReportContents(
      study, evidence,
      population: population.map { populationBlocks($0, provenance) } ?? [],
      provenance: provenance, shown: shown, isAppendixOpen: isAppendixOpen
    ).page
  }
}

struct StudyReportContents {
  let study: StudyEvaluation
  /// The fits of models with one parameter more; none if they were not fitted.
  let evidence: [ModelEvidence]
  /// The sections on a population; none if there is none.
  let populationBlocks: [Block]
  let provenance: Provenance
  /// The series that are shown with pictures.
  let pictured: [SeriesEvaluation]
  /// The series that have rows in tables of series.
  let listed: [SeriesEvaluation]
  private let fileNames: [String]
  let isAppendixOpen: Bool
  let diagnostics: StudyDiagnostics
  /// The report of the fits, on which several sections draw.
  let fits: Report

  init(
    _ study: StudyEvaluation, _ evidence: [ModelEvidence],
    population: [Block] = [],
    provenance: Provenance, shown: Int, isAppendixOpen: Bool = false
  ) {
    self.isAppendixOpen = isAppendixOpen
    self.study = study
    populationBlocks = population
    self.evidence = evidence
    self.provenance = provenance
    pictured = study.sample(shown)
    fileNames = pictured.map(\.series).fileNames
    listed = study.sample()
    diagnostics = StudyDiagnostics(
      of: study.series.map(\.fit), error: study.fitOptions.studyError)
    fits = .fit(
      study.series.map(\.fit), diagnostics: diagnostics, options: study.fitOptions,
      provenance: provenance)
  }

  var series: [Series] { study.series.map(\.series) }
  var studyFits: [StudyFit] { study.series.map(\.fit) }

  /// The series in the tables, in words.
  var listedInWords: String {
    isSample ? "\(listed.count) of \(series.count) series, evenly spread" : "every series"
  }
  var isSample: Bool { listed.count < series.count }

  var subjects: [Subject] {
    Dictionary(grouping: series, by: \.subject.id).compactMap(\.value.first?.subject)
  }

  /// The numbers of men and women, as numbers and in words.
  var sexes: [(count: Int, words: String)] {
    [("man", "men", Sex.male), ("woman", "women", Sex.female)].map { one, many, sex in
      let count = subjects.count { $0.sex == sex }
      return (count, count.counted(one, many))
    }
  }

  var page: Page {
    let title = study.study.title ?? study.study.name
    return Page(
      title: title,
      blocks: [.heading(1, title)] + provenance.origin + answerBlocks + peopleBlocks
        + parameterBlocks + leftOutBlocks + populationBlocks + howBlocks + provenance.blocks
        + appendixBlocks)
  }

  private var appendixBlocks: [Block] {
    let sections: [(title: String, blocks: [Block])] = [
      ("The study", studyBlocks), (isSample ? "A sample of people" : "Every person", curveBlocks),
      (isSample ? "Estimates of a sample" : "Estimates of every occasion", estimateBlocks),
      ("Methods compared", methodBlocks),
      ("Residuals", residualBlocks), ("All series together", togetherBlocks),
      ("Profile likelihood", profileBlocks),
    ]
    return [
      .heading(2, "Appendix"),
      .paragraph(
        "A line opens what it names. What is open is printed; --appendix opens everything."),
    ]
      + sections.filter { !$0.blocks.isEmpty }.map {
        .details($0.title, $0.blocks, isOpen: isAppendixOpen)
      }
  }

  var studyBlocks: [Block] {
    let facts = [
      ("Subjects", "\(subjects.count)"),
      ("Series", "\(series.count)"),
      ("Drinks", "\(series.map(\.drinks.count).reduce(0, +))"),
      ("Readings", "\(series.map(\.readings.count).reduce(0, +))"),
      (
        "Readings in",
        Set(series.flatMap(\.readings).map(\.unit.rawValue)).sorted().joined(separator: ", ")
      ),
      ("Instrument", study.study.instrument.flatMap(Report.facts) ?? "not stated"),
    ]
    var part = study.study
    part.series = listed.map(\.series)
    let check = Report.check(part, provenance: provenance)
    return [
      .facts(facts.map { (name: $0.0, value: $0.1) }),
      .table(
        check.sections[0].table,
        caption: "Subjects, drinks and readings" + (isSample ? " of \(listedInWords)." : ".")),
    ]
  }

  /// The readings left out and the doubtful findings, by remedy.
  var leftOutBlocks: [Block] {
    let notShown =
      listed.count > pictured.count
      ? ["\(listed.count - pictured.count) series appear in the tables only (--figures)."] : []
    // The last one names options of the command.
    let lines = notShown + findings + (fits.firstScreen?.remarks.dropLast() ?? [])
    return [
      .heading(2, "Left out, and what to do"),
      .list(lines.isEmpty ? ["Nothing: all readings were used as they are."] : lines),
    ]
  }

  /// Findings in the files, the first of each kind.
  private var findings: [String] {
    let findings = study.study.allDiagnostics
    let kinds = Dictionary(grouping: findings, by: \.kind)
    return findings.filter { kinds[$0.kind]?.first == $0 }.map { finding in
      let more = (kinds[finding.kind]?.count ?? 1) - 1
      return finding.description
        + (more == 0 ? "" : " (and \(more) more like this; promille check lists all)")
    }
  }

  /// The answer in the words of `promille compare`, with a picture; without predictions, what the readings determine.
  var answerBlocks: [Block] {
    let leftOut = ReadingUseCounts(studyFits).remark.map {
      Block.paragraph("\($0) What to do about the rest: see Left out.")
    }
    let picture = Figure.sobrietyErrors(of: study).map(Block.figure)
    guard let screen = comparison.firstScreen else {
      return Block.some(.summary("\(people) \(determined)"), leftOut)
    }
    let answer = screen.answer + (picture == nil ? [determined] : [])
    return [.paragraph(screen.question), .summary(answer.joined(separator: " "))]
      + screen.tables.filter(\.isForPeople).map {
        .table($0, caption: "Predicted minus measured time to sobriety, by method.")
      }
      + Block.some(
        // The last one names options of the command.
        picture, .paragraph(screen.remarks.dropLast().joined(separator: " ")),
        TimeErrorShares.sentence(on: study.errorShares, study.predictionOptions)
          .map(Block.paragraph), leftOut)
  }

  var people: String {
    let sexes = sexes.filter { $0.count > 0 }.map(\.words)
    let hasSexes = subjects.allSatisfy { $0.sex != nil } && !sexes.isEmpty
    let who =
      subjects.count.counted("subject")
      + (hasSexes ? " (\(sexes.joined(separator: ", ")))" : "")
    let readings = series.flatMap(\.readings)
    let matrices = Set(readings.map { $0.unit.matrix })
    let kind = matrices.count == 1 ? matrices.first.map { "\($0)-alcohol " } ?? "" : ""
    let data =
      "In \(who) with "
      + readings.count.counted("\(kind)reading") + " after "
      + series.map(\.drinks.count).reduce(0, +).counted("drink")
    let count = study.series.count { $0.fit.result.value != nil }
    let model = "\(study.fitOptions.model.titleInSentence) model"
    if study.series.isEmpty { return "The study has no series that a model could be fitted to." }
    if count == 0 { return "\(data), \(model) could not be fitted to any series." }
    let all = count == study.series.count
    return "\(data), \(model) was fitted to "
      + (all
        ? Self.all(count)
        : "\(count) of \(study.series.count) series") + "."
  }

  /// The number of series that determine the parameters, in the words of `promille fit`.
  var determined: String { fits.firstScreen?.answer.first ?? "" }

  private static func all(_ count: Int) -> String {
    switch count {
    case 1: "the only series"
    case 2: "both series"
    default: "all \(count) series"
    }
  }

  var peopleBlocks: [Block] {
    let sample =
      isSample
      ? "Shown one by one: \(listedInWords). Everybody counts in the answer, in summaries and in charts over all people. "
        + "To show everybody here, add --figures \(series.count); promille fit --derived all and promille sober "
        + "list everybody's numbers."
      : nil
    return [.heading(2, "People"), .paragraph(people)]
      + Block.some(
        sample.map(Block.paragraph), Figure.people(pictured, in: study).map(Block.figure))
  }

  var curveBlocks: [Block] {
    guard !pictured.isEmpty else { return [] }
    return [
      .paragraph(
        "Broken lines: the curves that the methods predict, in the colours of the names below zero. There each method "
          + "has its predicted time to sobriety, with the 90 % interval of people like this one if it is known."
      ),
      .figures(zip(pictured, fileNames).map { .curves(of: $0, in: study, named: $1) }),
    ]
  }

  /// The summary of the parameters over all people.
  var parameterBlocks: [Block] {
    let summaries = Report.summaries(of: studyFits, study.fitOptions)
    let remarks =
      Report.implausible(among: studyFits) + Report.remarks(on: summaries, study.fitOptions)
    return [.heading(2, "Parameters"), .paragraph(determined)]
      + Block.some(
        Figure.parameters(of: study).map(Block.figure),
        .table(
          Table(Report.parameterTable.columns, rows: summaries),
          caption: Report.summaryLines(study.fitOptions).joined(separator: " ")), .points(remarks))
  }

  var estimateBlocks: [Block] {
    [
      .paragraph(fits.introduction.joined(separator: " ")),
      .table(
        Table(Report.fits.columns, rows: listed.map(\.fit)),
        caption: "Estimates of \(listedInWords)."),
    ] + derivedBlocks + Block.some(.points(fits.notes))
  }

  /// The derived quantities of the fitted curves, a row per series; none if they were not
  /// requested.
  private var derivedBlocks: [Block] {
    let quantities = study.fitOptions.derived.quantities
    guard !quantities.isEmpty else { return [] }
    let columns =
      Series.identityColumns { (fit: StudyFit) in fit.series }
      + quantities.map { quantity in
        Column(forPeople: "\(quantity.title), \(quantity.unit)") { fit in
          fit.result.value.flatMap { value in
            value.derived.first { $0.quantity == quantity }.flatMap(value.shown)
          }
        }
      }
    let threshold =
      quantities.contains(.timeToThreshold)
      ? " Threshold: \(NumberStyle.exact(study.fitOptions.derived.threshold.value)) g/kg." : ""
    return [
      .table(
        Table(columns, rows: listed.map(\.fit)),
        caption:
          "Quantities of the fitted curves, with intervals as above. Times in min since the first "
          + "drink.\(threshold)")
    ]
  }

  var profileBlocks: [Block] {
    let figures = zip(pictured, fileNames).compactMap { Figure.profiles(of: $0, named: $1) }
    guard !figures.isEmpty else { return [] }
    return [
      .paragraph(
        "How much worse the best fit gets as one parameter moves away from its estimate. Values below the "
          + "dashed line are in the interval. If the curve never crosses the line, that side is unlimited. A "
          + "curve stops where another parameter hits its search limit."),
      .figures(figures),
    ]
  }

  var residualBlocks: [Block] {
    let rows = listed.compactMap { series in
      series.fit.result.value.flatMap { fit in
        fit.diagnostics.map { (series: series.series, fit: fit, diagnostics: $0) }
      }
    }
    guard !rows.isEmpty else { return [] }
    let table = Table(Series.identityColumns { $0.series } + Self.residualColumns, rows: rows)
    return Block.some(
      Figure.residuals(of: study).map(Block.figure),
      .table(
        table,
        caption: "Runs p: probability of so few or so many runs of equal sign by chance. Lag 1: "
          + "correlation of each residual with the one before. Normal p: Shapiro-Wilk test. "
          + "Condition: condition number of the Jacobian with columns scaled to length 1."))
  }

  private static let residualColumns:
    [Column<(series: Series, fit: SeriesFit, diagnostics: FitDiagnostics)>] = [
      Column(forPeople: "runs p", style: .significant(2), \.diagnostics.runs?.pValue),
      Column(forPeople: "lag 1", style: .decimals(2), \.diagnostics.autocorrelation?.lagOne),
      Column(forPeople: "normal p", style: .significant(2), \.diagnostics.normality?.pValue),
      Column(forPeople: "largest Cook", style: .decimals(2)) {
        $0.fit.readings.compactMap(\.cookDistance).max()
      },
      Column(forPeople: "condition", style: .significant(2), \.diagnostics.conditionNumber),
      Column(
        forPeople: "correlation", style: .decimals(3), \.diagnostics.strongestCorrelation?.value),
      Column(forPeople: "starts at best") { "\($0.fit.startsAtBest) of \($0.fit.starts.count)" },
    ]
}

extension EliminationModel {
  /// The model with its article, in the middle of a sentence.
  fileprivate var titleInSentence: String {
    switch self {
    case .widmark: "Widmark's one-compartment"
    case .michaelisMenten: "a one-compartment Michaelis-Menten"
    default: "a one-compartment \(rawValue)"
    }
  }
}

extension Page {
  /// A population fit on one page: its values, and what the readings say of it.
  ///
  /// - `title`: The name of the study.
  public static func population(
    _ answer: PopulationAnswer, title: String, provenance: Provenance
  ) -> Page {
    Page(
      title: title,
      blocks: [.heading(1, title)] + provenance.origin + populationBlocks(answer, provenance)
        + provenance.blocks)
  }

  /// The sections without title and provenance, for another page.
  static func populationBlocks(_ answer: PopulationAnswer, _ provenance: Provenance) -> [Block] {
    let report = Report.population(answer, provenance: provenance)
    func table(_ name: String, _ caption: String) -> [Block] {
      report.sections.filter { $0.name == name && $0.table.isForPeople }
        .map { .table($0.table, caption: caption) }
    }
    let figures = answer.diagnostics.map(Figure.population) ?? []
    func pictures(_ names: String...) -> [Block] {
      figures.filter { figure in names.contains { figure.name.hasPrefix($0) } }.map(Block.figure)
    }
    let effects =
      pictures("population-eta")
      + table(
        "eta_covariates", "Correlations of random effects with covariates, with 95 % intervals.")
    let parts: [[Block]] = [
      [
        .heading(2, "Population"),
        .paragraph(
          "Each person has parameters of their own, whose logarithms are spread normally about those of a "
            + "typical person (nonlinear mixed effects)."),
      ],
      table("population", "Fits, by method for r."),
      table("typical", "Typical values, with 95 % intervals."),
      table(
        "between", "Differences between people, of logarithms, with 95 % intervals of variances."),
      table("within", "Differences between occasions, of logarithms."),
      table("covariates", "Effects of covariates."), table("residual", "Residual error."),
      table("left_out", "Series that could not be used."), Block.some(.points(report.notes)),
      [.heading(2, "Predictions and residuals")], pictures("population-fit"),
      table(
        "standard_normal",
        "Are residuals standard normal? p values of mean, variance, and normality (Shapiro and Wilk)."
      ),
      pictures("population-npde"), [.heading(2, "Predictive check")], pictures("population-vpc"),
      effects.isEmpty ? [] : [.heading(2, "Covariates")] + effects,
    ]
    return parts.flatMap(\.self)
  }
}
