import AlcoholKinetics
import Estimation
public import Population
import StudyData
public import Validation

extension Page {
  /// A study as an article: the answer with a table and a picture, people, parameters, readings left out, how it was
  /// computed and from what. Everything else is in an appendix that opens on demand.
  ///
  /// - `evidence`: How models with one parameter more fit the study; none if they were not fitted.
  /// - `population`: A fit of everybody at once, if the report is to show one.
  /// - `shown`: How many series are shown with pictures, evenly spread over the study.
  /// - `isAppendixOpen`: Whether the appendix is open, and so is printed.
  public static func report(
    on study: StudyEvaluation, evidence: [ModelEvidence] = [],
    population: (fit: PopulationFit, judged: JudgedPopulation)? = nil, provenance: Provenance,
    shown: Int,
    isAppendixOpen: Bool = false
  ) -> Page {
    StudyReportContents(
      study, evidence,
      population: population.map {
        populationBlocks([($0.judged.rFactor, $0.fit)], $0.judged, [], provenance)
      } ?? [],
      provenance: provenance, shown: shown, isAppendixOpen: isAppendixOpen
    ).page
  }
}

struct StudyReportContents {
  let study: StudyEvaluation
  /// How models with one parameter more fit the study; none if they were not fitted.
  let evidence: [ModelEvidence]
  /// The sections on a population; none if there is none.
  let populationBlocks: [Block]
  let provenance: Provenance
  /// The series that are shown with pictures.
  let pictured: [SeriesEvaluation]
  /// The series that have rows in tables of series.
  let listed: [SeriesEvaluation]
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
    listed = study.sample()
    diagnostics = StudyDiagnostics(
      of: study.series.map(\.fit), error: study.fitOptions.studyError)
    fits = .fit(
      study.series.map(\.fit), diagnostics: diagnostics, options: study.fitOptions,
      provenance: provenance)
  }

  var series: [Series] { study.series.map(\.series) }
  var studyFits: [StudyFit] { study.series.map(\.fit) }

  /// Which series a table of series has.
  var theListed: String {
    isSample ? "\(listed.count) of \(series.count) series, evenly spread" : "every series"
  }
  var isSample: Bool { listed.count < series.count }

  var subjects: [Subject] {
    Dictionary(grouping: series, by: \.subject.id).compactMap(\.value.first?.subject)
  }

  /// How many men and women there are, in numbers and in words.
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

  /// The answer on one screen, in the words of `promille compare`, with a picture of it; without predictions what was
  /// fitted and what the readings determine.
  var answerBlocks: [Block] {
    let leftOut = LeftOut(studyFits).remark.map {
      Block.paragraph("\($0) What to do about the rest: see Left out.")
    }
    let picture = Figure.sobrietyErrors(of: study).map(Block.figure)
    guard let screen = comparison.firstScreen else {
      return [.summary("\(people) \(determined)")] + [leftOut].compactMap(\.self)
    }
    let answer = screen.answer + (picture == nil ? [determined] : [])
    return [.paragraph(screen.question), .summary(answer.joined(separator: " "))]
      + screen.tables.filter(\.isForPeople).map {
        .table($0, caption: "Predicted minus measured time to sobriety, by method.")
      }
      + [picture].compactMap(\.self)
      // The last one names options of the command.
      + [.paragraph(screen.remarks.dropLast().joined(separator: " "))]
      + [TimeErrorShares.sentence(on: study.errorShares, study.predictionOptions)]
      .compactMap { $0.map(Block.paragraph) }
      + [leftOut].compactMap(\.self)
  }

  var people: String {
    let sexes = sexes.filter { $0.count > 0 }.map(\.words)
    let known = subjects.allSatisfy { $0.sex != nil } && !sexes.isEmpty
    let who =
      subjects.count.counted("subject")
      + (known ? " (\(sexes.joined(separator: ", ")))" : "")
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

  /// What the readings determine, in the words of `promille fit`.
  var determined: String { fits.firstScreen?.answer.first ?? "" }

  private static func all(_ count: Int) -> String {
    switch count {
    case 1: "the only series"
    case 2: "both series"
    default: "all \(count) series"
    }
  }

  var howBlocks: [Block] {
    [
      .heading(2, "Methods"),
      .paragraph(
        "The model has one compartment, first-order absorption (rate constant k_a) and elimination at the "
          + "constant rate beta (Widmark 1932). A drink of A grams puts s = A / (r W) g/kg into the gut; "
          + "r is the distribution factor (rho, the Widmark factor) and W the body weight. At time t after "
          + "an event, with g in the gut and c in the blood at the event, until the next event:"),
      .preformatted(
        """
        g(t) = g exp(-k_a t)
        c(t) = max(0, c + g (1 - exp(-k_a t)) - beta t)
        """),
      .paragraph(model),
      .paragraph(readings),
      .paragraph(intervals),
      .paragraph(predictedWith),
      .paragraph(
        "The r factors are those of Widmark (1932), Watson et al. (1980), Forrest (1986), Seidl et al. "
          + "(2000) and Ulrich et al. (1987) unless others are named. The measured time to sobriety lies "
          + "between the last reading above the threshold and the next one, from which all readings stay at "
          + "or below it; after the last reading, if that is still above; before the first, if none is. "
          + "Typical errors are estimated from these limits by maximum likelihood, with a normal distribution "
          + "of ln(predicted / measured) for percents and of the difference for minutes (Peto 1973). Tests of "
          + "Friedman (times by what is expected of their errors) and Wilcoxon with Holm's correction, and limits "
          + "of agreement (Bland and Altman 1986, 2007) are in the "
          + "appendix. Intervals are over subjects: expanded percentiles of a bootstrap (Hesterberg 2015), "
          + "or, below \(Bootstrap.fewestDrawn) subjects, Student's t with the jackknife (Efron and "
          + "Tibshirani 1993)."
      ),
      .heading(3, "References"),
      .columns([[.list(Self.references)]]),
    ]
  }

  private var model: String {
    let parameters = study.fitOptions.estimate.sorted().map(\.symbol).joined(separator: ", ")
    let model = study.fitOptions.model
    let extra =
      model == .widmark ? "" : " Here ethanol is eliminated \(model.kinetics.rate) instead."
    return
      "Estimated parameters: \(parameters), positive ones as logarithms, by nonlinear least squares (GNU "
      + "GSL's trust region, with geodesic acceleration first) from "
      + "\(study.fitOptions.starts.count) starts; the lowest minimum is reported.\(extra)"
  }

  private var readings: String {
    let options = study.fitOptions
    let censoring =
      switch options.selection.censoring {
      case .none: "were taken at face value"
      case .drop: "were left out"
      case .oneSided: "contribute only if the prediction is above the limit"
      case .m3: "contribute the probability of being below the limit (method M3 of Beal 2001)"
      }
    let loss = options.loss == .linear ? "" : " The loss function was \(options.loss.rawValue)."
    let correlation =
      options.correlation == .independent
      ? "" : ", with a correlation of exp(-dt / tau) between neighbouring readings (Jones 1993)"
    let shared =
      options.studyError.map { error in
        "; what people share of it was estimated from \(error.series) series together"
      } ?? ""
    return
      "The error model was \(options.error.name)\(correlation)\(shared). Readings below the limit of detection "
      + "(LOD, LLOQ) \(censoring). Unless they are taken at face value, only the first of the zeros that "
      + "end a series was used. Readings at or before the first drink were left out, because every curve "
      + "is zero there. "
      + "\(mouthAlcohol)\(loss)"
  }

  private var mouthAlcohol: String {
    let window =
      study.fitOptions.selection.mouthAlcoholWindow ?? study.study.instrument?.mouthAlcoholWindow
      ?? 0
    guard window > 0 else { return "No readings were left out for mouth alcohol." }
    let minutes = NumberStyle.exact(window.minutes)
    return
      "Readings less than \(minutes) min after the end of a drink were left out (mouth alcohol)."
  }

  private var intervals: String {
    guard let interval = study.fitOptions.interval else {
      return "No intervals were computed."
    }
    let level = NumberStyle.exact(100 * interval.level)
    let kind =
      switch interval.kind {
      case .wald where study.fitOptions.standardErrors == .robust:
        "from robust standard errors of the logarithms (Wald), which hold if errors of neighbouring "
          + "readings are correlated (Lazarus, Lewis, Stock and Watson 2018)"
      case .wald: "from the covariance of the logarithms (Wald)"
      case .profile:
        "by profile likelihood (Bates and Watts 1988). If the profile never crosses the line, that side "
          + "is unlimited and the parameter is called not identifiable"
      case .residualBootstrap, .parametricBootstrap:
        "by \(interval.kind.rawValue) with \(interval.replicates) replicates and expanded percentiles "
          + "(Hesterberg 2015)"
      }
    return "Intervals of parameters are at \(level) %, \(kind). Confidence bands of curves come "
      + "from the covariance by the delta method."
  }

  /// The works that the report cites.
  private static let references = String(
    decoding: PackageResources.references_txt, as: UTF8.self
  ).split(separator: "\n").map(String.init)
}

extension EliminationModel {
  /// The model with its article, in the middle of a sentence.
  fileprivate var titleInSentence: String {
    self == .widmark ? "Widmark's one-compartment" : "a one-compartment Michaelis-Menten"
  }
}

extension Provenance {
  /// When and by what a page was made, for its head.
  var origin: [Block] {
    let made = (name: "Made with", value: "Promille \(version)")
    guard let run else { return [.facts([made])] }
    return [
      .facts([(name: "Date", value: run.date), made, (name: "Command", value: run.commandLine)])
    ]
  }

  /// From what and with which options a page was made.
  var blocks: [Block] {
    let options = options.map { option in
      let words = option.value.inWords
      // A study may be called so, too.
      guard let run, option.name == "engine", words == "lanes" else {
        return (name: option.name, value: words)
      }
      return (name: option.name, value: "\(words), \(run.lanesAtOnce) at once")
    }
    return [
      .heading(2, "Provenance"),
      .paragraph(
        "Made with promille \(version), \(command). Where concentrations had to be converted, the "
          + "density of blood was \(factors.bloodDensityKgPerL) kg/L, the ratio of blood to breath "
          + "\(factors.bloodBreathRatio) and that of serum to blood \(factors.serumBloodRatio)."),
      .heading(3, "Files read"),
      .list(inputs.map { "\($0.file): SHA-256 \($0.sha256)" }),
      .details("All options, defaults included", [.facts(options)]),
    ]
  }
}

extension JSONValue {
  /// The value of an option as people read it.
  fileprivate var inWords: String {
    switch self {
    case .null: "not given"
    case .array(let values) where values.isEmpty: "none"
    default: inline
    }
  }
}
