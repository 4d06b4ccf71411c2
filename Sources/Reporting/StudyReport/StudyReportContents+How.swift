import AlcoholKinetics
import Estimation
import StudyData
import Validation

extension StudyReportContents {
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
          + "of ln(predicted / measured) for percents and of the difference for minutes (Peto 1973). Limits "
          + "that need no assumption (Manski 2003), tests of Friedman (times by Gehan's scores) and Wilcoxon "
          + "with Holm's correction, and limits of agreement (Bland and Altman 1986, 2007) are in the "
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

extension Provenance {
  /// When and by what a page was made, for its head.
  package var origin: [Block] {
    let made = (name: "Made with", value: "Promille \(version)")
    guard let run else { return [.facts([made])] }
    return [
      .facts([(name: "Date", value: run.date), made, (name: "Command", value: run.commandLine)])
    ]
  }

  /// From what and with which options a page was made.
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
