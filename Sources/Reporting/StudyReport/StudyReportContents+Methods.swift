import AlcoholKinetics
import Estimation
import StudyData
import Validation

extension StudyReportContents {
  /// The r-factor methods side by side, as `promille compare` has them.
  var comparison: Report {
    Report.comparisonSummary(
      study.summary, of: study.series.flatMap(\.scores),
      options: study.predictionOptions, level: study.bootstrap.level, pairsFirst: false,
      provenance: provenance)
  }

  var methodBlocks: [Block] {
    let report = comparison
    let sobriety = Report.sobriety(
      listed.flatMap(\.scores), options: study.predictionOptions,
      provenance: provenance)
    let captions = [
      "Summary of the methods.", "Rankings of all methods.", "Pairs of methods.",
      "Times to sobriety: how far predictions are off, and how many times are known.",
    ]
    let tables = zip(report.sections.map(\.table), captions).filter(\.0.isForPeople).map {
      Block.table($0, caption: $1)
    }
    return Block.some(
      Figure.methods(of: study).map(Block.figure),
      Figure.blandAltman(of: study).map(Block.figure),
      .paragraph(report.introduction.joined(separator: " ")))
      + tables
      + Block.some(
        errorShares, errorTests, .points(report.notes),
        .paragraph(sobriety.introduction.joined(separator: " ")),
        .table(
          sobriety.sections[0].table,
          caption: "Predicted and measured, by series and method"
            + (isSample ? ", of \(listedInWords)." : ".")))
  }

  /// The shares of r, elimination and absorption in the errors of times to sobriety; nil if no
  /// series determines them.
  private var errorShares: Block? {
    guard !study.errorShares.isEmpty else { return nil }
    return .table(
      Table(TimeErrorShares.columns, rows: study.errorShares),
      caption:
        "What the error of the time is made of: the share that vanishes with each person's own fit of r, beta or "
        + "absorption, averaged over all orders of replacing (Shapley 1953), with intervals over people."
    )
  }

  /// The tests of the errors for correlation and trend; nil for too few subjects.
  private var errorTests: Block? {
    let tests = Report.errorTests(study.summary.diagnostics)
    guard !tests.rows.isEmpty else { return nil }
    return .table(
      tests,
      caption:
        "Prediction errors over all subjects. Lag-1 autocorrelation: of errors of neighbouring readings "
        + "about the bias, with its 95 % interval between subjects. Trends: F of Hotelling's test that "
        + "errors have no slope or curvature over time since the first drink, and over the predicted "
        + "concentration.")
  }

  var predictedWith: String {
    let symbols = study.predictionOptions.model.kineticSymbols
    let source =
      switch study.predictionOptions.parameters {
      case .given: study.predictionOptions.givenValues
      case .fitted:
        "\(symbols) fitted to the same readings for each r (the best agreement possible with that "
          + "r, not a prediction)"
      case .leftOut: "the median \(symbols) of all other subjects' fits"
      }
    return
      "Each method predicts a curve with \(source), and its own r. A method without a formula for "
      + "a subject is left out for that subject."
      + (study.farAbsorption.map { " \($0)" } ?? "")
      + (PredictionOptions.waterLine(of: study.predictionOptions.methods).map { " " + $0 } ?? "")
  }

  var togetherBlocks: [Block] {
    let (tests, bins) = Report.diagnosticTables(diagnostics)
    let models = evidence.isEmpty ? nil : Table(Report.evidence.columns, rows: evidence)
    guard !tests.rows.isEmpty || models != nil else { return [] }
    var blocks: [Block] = [
      .paragraph(
        "A single series is too short to show correlated errors or a curve of the wrong shape; a whole "
          + "study can show both. The standard errors here are between series, so they hold whatever the "
          + "errors within a series are.")
    ]
    if !tests.rows.isEmpty {
      blocks += [
        .table(
          tests,
          caption:
            "Lag-1 autocorrelation of the residuals of neighbouring readings, with its 95 % interval, and "
            + "the value expected for a right model with independent errors (Box and Pierce 1970). Trends: "
            + "F of Hotelling's test that the residuals have no level, slope or curvature over the time "
            + "since the first drink, and over the predicted concentration."),
        .table(
          bins,
          caption:
            "Mean residual (measured minus fitted, in residual SDs) by time since the first drink "
            + "and by predicted concentration, with 95 % intervals between series. Readings within three "
            + "SDs of zero are left out."),
      ]
    }
    if let models {
      blocks.append(
        .table(
          models,
          caption:
            "Drop in -2 ln L, summed over all series, with one extra parameter per series, and the drop "
            + "expected if Widmark's model were right."))
    }
    let remarks =
      Report.remarks(on: diagnostics)
      + evidence.filter(\.isNoteworthy).map { StudyWarning.betterModel($0).remark }
    return blocks + Block.some(.points(remarks))
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
      options.correlation.isExponential
      ? ", with a correlation of exp(-dt / tau) between neighbouring readings (Jones 1993)" : ""
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

extension Provenance {
  /// The date, program and command of a page, for its head.
  package var origin: [Block] {
    let made = (name: "Made with", value: "Promille \(version)")
    guard let run else { return [.facts([made])] }
    return [
      .facts([(name: "Date", value: run.date), made, (name: "Command", value: run.commandLine)])
    ]
  }

  /// The inputs and options of a page.
  package var blocks: [Block] {
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
