import AlcoholKinetics
import Certification
import Estimation
import StudyData
import Validation

extension StudyReportContents {
  var credibilityBlocks: [Block] {
    CredibilityAssessment(
      question: question, context: context, influence: influence, verification: verification,
      validation: validation, gaps: gaps
    ).blocks
  }

  private var methods: String {
    study.predictionOptions.methods.map(\.name).joined(separator: ", ")
  }

  private var question: String {
    let symbols = study.fitOptions.estimate.sorted().map(\.symbol).joined(separator: ", ")
    return
      "Which values of \(symbols) do the readings of these people support, and how well do the r factors "
      + "\(methods) predict their readings and their time to sobriety?"
  }

  // MARK: Where it holds

  private var context: [String] {
    let people = [
      Self.range("ages", subjects.compactMap(\.age?.value), "years"),
      Self.range("weights", subjects.compactMap(\.weight?.value), "kg"),
      Self.range("heights", subjects.compactMap { $0.height.map { 100 * $0.value } }, "cm"),
    ].compactMap(\.self)
    let doses = series.compactMap { series in
      (try? series.regimen())?.total.value
    }
    let spans = series.compactMap { series in
      series.readings.last.map { ($0.time - series.start).value }
    }
    let conditions = [
      Self.range("doses", doses, "g/kg of body weight", decimals: 2),
      Self.range("last readings", spans, "h after the first drink", decimals: 1),
    ].compactMap(\.self)
    return [
      "People like these: " + (sexes.map(\.words) + people).joined(separator: ", ") + ".",
      "Conditions like these: " + conditions.joined(separator: ", ") + "; "
        + (study.study.instrument.flatMap(Report.facts).map { "instrument: \($0)" }
          ?? "the instrument is not stated") + ".",
    ]
  }

  private static func range(
    _ name: String, _ values: [Double], _ unit: String, decimals: Int = 0
  ) -> String? {
    guard let least = values.min(), let most = values.max() else { return nil }
    let ends = [least, most].map(NumberStyle.decimals(decimals).format)
    return ends[0] == ends[1]
      ? "\(name) \(ends[0]) \(unit)" : "\(name) \(ends[0]) to \(ends[1]) \(unit)"
  }

  // MARK: What is the model's

  private var influence: [String] {
    let fits = studyFits.compactMap { try? $0.result.get() }
    let known = series.indices.count { index in
      study.series[index].comparisons.contains { $0.sobriety.measured.knowledge == .between }
    }
    let parameters = study.fitOptions.estimate.sorted().map { parameter in
      let determined = fits.count { $0.estimates[parameter]?.isIdentifiable == true }
      return "\(parameter.symbol) in \(determined)"
    }
    let rest = "; elsewhere it is extrapolated by the model"
    return [
      "Of \(series.count) series, readings determine " + parameters.joined(separator: ", ")
        + "; elsewhere an end of the interval, or all of the value, is the model's.",
      "The time to sobriety lies between two readings in \(known) of them\(known < series.count ? rest : "").",
    ]
  }

  // MARK: Evidence

  private var verification: [CredibilityAssessment.Evidence] {
    [.init(checks.solver), .init(checks.curves)]
      + [checks.engines.flatMap { .init([$0]) }].compactMap(\.self)
  }

  private var validation: [Block] {
    let methods = study.summary.methods.filter { $0.sex == nil && $0.quantity == .concentration }
    if case .fitted = study.predictionOptions.parameters { return [] }
    guard !methods.isEmpty else { return [] }
    let comparisons = study.series.flatMap(\.comparisons)
    let agreements = Dictionary(grouping: comparisons, by: \.method)
      .mapValues { $0.compactMap(\.sobriety.agreesWithInterval) }
    return [
      .table(
        Table(
          [
            Column(forPeople: "method", \.method),
            Column(forPeople: "subjects", \.subjects),
            Column(forPeople: "bias g/kg", style: .decimals(3), \.errors.bias),
            Column(forPeople: "low", style: .decimals(3), \.biasInterval?.low),
            Column(forPeople: "high", style: .decimals(3), \.biasInterval?.high),
            Column(forPeople: "MAE g/kg", style: .decimals(3), \.errors.mae),
            Column(forPeople: "agree") { method in
              agreements[method.method].map { "\($0.count(where: \.self)) of \($0.count)" }
            },
          ], rows: methods),
        caption:
          "Predictions beside readings: bias with its interval over subjects and mean absolute error (MAE) of "
          + "concentrations; agree: how many 90 % intervals of the time to sobriety agree with the readings before and "
          + "after it.")
    ]
  }

  // MARK: What is missing

  private var gaps: [String] {
    let counts = Dictionary(grouping: studyFits, by: \.status).mapValues(\.count)
    let doubtful = FitStatus.allCases.filter { $0 != .ok }.compactMap { status in
      counts[status].map { "\($0) \(status.rawValue)" }
    }
    let subjects = subjects.count
    let sexes = Set(series.map(\.subject.sex))
    let matrices = Set(series.flatMap(\.readings).map(\.unit.matrix))
    let food = series.count { $0.subject.food == nil }
    let usesFits = if case .fitted = study.predictionOptions.parameters { true } else { false }
    let found: [String?] = [
      "No accuracy that the question needs was stated, so the errors above are not judged.",
      doubtful.isEmpty
        ? nil
        : "Not every fit can be used as it is: of \(studyFits.count), \(doubtful.joined(separator: ", ")).",
      subjects < Bootstrap.fewestDrawn
        ? "Only \(subjects.counted("subject")): differences between people are hardly known."
        : nil,
      sexes.contains(.female) ? nil : "No women: nothing here shows how well women are predicted.",
      sexes.contains(.male) ? nil : "No men: nothing here shows how well men are predicted.",
      matrices.contains(.breath)
        ? "Breath was measured: the blood:breath ratio of \(NumberStyle.exact(factors.bloodBreathRatio)) is used for "
          + "everybody, although people differ in it." : nil,
      matrices.contains(.serum)
        ? "Serum was measured: the serum:blood ratio of \(NumberStyle.exact(factors.serumBloodRatio)) is used for "
          + "everybody." : nil,
      study.study.instrument == nil
        ? "The instrument is not stated: its resolution and accuracy are taken from the residuals."
        : nil,
      food > 0 ? "What they had eaten is not stated for \(food) of \(series.count) series." : nil,
      usesFits
        ? "k_a and beta of the comparison were fitted to the same readings: this is not a validation."
        : nil,
      study.farAbsorption.map { "\($0)" },
    ]
    return found.compactMap(\.self)
  }

  private var factors: ConversionFactors { provenance.factors }
}
