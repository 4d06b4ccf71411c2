import AlcoholKinetics
import Estimation
import Foundation
import StudyData
package import Validation

extension Report {
  /// The report of comparing r-factor methods with the readings, a row per series and method.
  package static func comparison(
    _ scores: [Score], diagnostics: [ErrorDiagnostics]? = nil,
    options: PredictionOptions, provenance: Provenance
  ) -> Report {
    let threshold = SobrietyThreshold.words(SobrietyThreshold.used(in: scores), options)
    let diagnostics = diagnostics ?? ErrorDiagnostics.all(of: scores)
    return Report(
      introduction: sourceLines(of: options) + [
        "Errors are predicted minus measured: bias, MAE, RMSE and peak in g/kg, area (AUC) in percent,",
        "sober in min (> x or < x: only a lower or upper limit can be given). Above: readings higher than",
        "dose = dose / (r x weight), the highest possible. The readings compared are those a fit would use.",
        "Sober: at most \(threshold).",
      ],
      sections: [Section(comparisons, rows: scores.map(ScoreRow.init))]
        + diagnosticSections(diagnostics),
      notes: Note.grouped(scores.flatMap(remarks))
        + ErrorDiagnostics.warnings(of: diagnostics).map(\.remark)
        + [ReadingUseCounts(Score.uses(in: scores)).remark].compactMap(\.self)
        + GivenModelCheck(scores).findings.map(\.remark),
      provenance: provenance)
  }

  package static let comparisons = TableLayout(
    "comparisons",
    columns: ScoreRow.identityColumns + predictionColumns + agreementColumns + sobrietyColumns)

  private static let predictionColumns: [Column<ScoreRow>] =
    [
      Column("status", heading: "status", \.curveStatus),
      .reason { $0.score.curve.reason },
    ] + Column<ScoreRow>.method { $0.score.method }
    + FitParameter.predictionColumns { $0.score.parameters?.stated($1) }
    + [
      Column("dose_g_per_kg", heading: "dose", style: .decimals(2)) {
        $0.agreement?.doseConcentration?.value
      },
      Column("peak_predicted_g_per_kg") { $0.agreement?.predictedPeak?.concentration.value },
      Column("peak_predicted_min") { $0.agreement?.predictedPeak?.time.minutes },
    ]

  private static let agreementColumns: [Column<ScoreRow>] =
    [
      Column("peak_measured_g_per_kg") { $0.agreement?.measuredPeak.concentration.value },
      Column("peak_measured_min") { $0.agreement?.measuredPeak.time.minutes },
      Column("n") { $0.agreement?.errors.count },
      Column("left_out") { $0.count { !$0.isUsed } },
    ] + ReadingUse.columns { row, use in row.count { $0 == use } } + [
      Column("above_dose", heading: "above") { $0.agreement?.readingsAboveDose },
      Column("bias_g_per_kg", heading: "bias", style: .decimals(3)) { $0.summary?.bias },
      Column("mae_g_per_kg", heading: "MAE", style: .decimals(3)) { $0.summary?.mae },
      Column("rmse_g_per_kg", heading: "RMSE", style: .decimals(3)) { $0.summary?.rmse },
      Column("peak_error_g_per_kg", heading: "peak", style: .decimals(3)) {
        $0.agreement?.peakError
      },
      Column("auc_predicted_g_h_per_kg") { $0.agreement?.predictedArea },
      Column("auc_measured_g_h_per_kg") { $0.agreement?.measuredArea },
      Column("auc_error_pct", heading: "AUC %", style: .decimals(1)) {
        $0.agreement?.areaErrorPercent
      },
    ]

  private static let sobrietyColumns: [Column<ScoreRow>] =
    [
      Column("sober_status", \.timeStatus),
      Column("sober_predicted_min", \.predictedMinutes),
    ] + ScoreRow.intervalColumns + ScoreRow.agreementColumns + ScoreRow.measuredColumns + [
      Column("sober_threshold_g_per_kg") { $0.score.threshold.concentration.value },
      Column("sober_known") { $0.score.measured.knowledge },
    ] + ScoreRow.errorColumns(forPeople: "sober", hasDetails: false) + [
      .warnings { $0.score.warnings.map(\.code) }
    ]

  private static func remarks(about score: Score) -> [Note] {
    // That a model has no prediction is said once, below.
    if score.curve.failure == .curveMissing { return [] }
    if let reason = score.curve.reason { return [Note(about: score.series, reason)] }
    return (score.warnings.map(\.remark) + score.doubts.map(\.remark))
      .map { Note(about: score.series, $0) }
  }
}

extension ScoreRow {
  /// The number of readings with some use; nil without a prediction.
  fileprivate func count(_ isCounted: (ReadingUse) -> Bool) -> Int? {
    score.curve.failure == nil ? score.uses.count(where: isCounted) : nil
  }
}

extension PredictionOptions {
  /// The parameters of the predictions, in lines for people: k_a and beta, or their source, and B
  /// if some method's r depends on it.
  var sourceLines: [String] {
    [kineticsLine] + [spreadLine, Self.waterLine(of: methods)].compactMap(\.self)
  }

  private var kineticsLine: String {
    switch parameters {
    case .given:
      let name = model == .widmark ? "" : "\(model.title). "
      return "\(name)Predicted with \(givenValues)."
    case .fitted:
      return
        "With \(model.kineticSymbols) fitted to the same readings for each r: the best agreement "
        + "possible, not a prediction."
    case .leftOut:
      return "Predicted with the median \(model.kineticSymbols) of all other subjects' fits, for "
        + "each r."
    }
  }

  /// The values of absorption and elimination in words, and what they are typical of if they were not given.
  ///
  /// If food decides and may differ between subjects, the values of both states are listed.
  var givenValues: String {
    guard case .given(let given) = parameters else { return "" }
    if let typical { return givenValues(typical, given) }
    let kinds = FoodState.allCases.map { givenValues(TypicalKinetics(of: $0), given) }
    guard kinds.count(where: { $0 == kinds.first }) < kinds.count else { return kinds[0] }
    return kinds.joined(separator: "; ") + ", by what the study says of each subject"
  }

  private func givenValues(
    _ typical: TypicalKinetics, _ given: [FitParameter: Double]
  ) -> String {
    let men = typical.values(of: model, for: .male, given: given)
    let women = typical.values(of: model, for: .female, given: given)
    let values = ([.ka, .lag] + model.defaultEstimate.subtracting([.ka]).sorted())
      .compactMap { (parameter: FitParameter) -> String? in
        guard let value = men[parameter], parameter != .lag || value > 0 else { return nil }
        let number = { (value: Double) in
          NumberStyle.exact((parameter.reportedValue(value) * 1e4).rounded() / 1e4)
        }
        let unit = parameter == .lag ? parameter.reportedUnit : parameter.unit
        let text = "\(parameter.symbol) \(number(value)) \(unit)"
        if parameter == .ka {
          return text + " (half-life \(NumberStyle.significant(2).format(60 * log(2) / value)) min)"
        }
        guard let female = women[parameter], female != value else { return text }
        return text + " (women \(number(female)))"
      }
    let list = values.inWords
    let isGiven = given[.ka] != nil && (model != .widmark || given[.beta] != nil)
    guard !isGiven else { return list + " for all subjects" }
    return list
      + (typical == .nacar2021
        ? ", the values of Nacar (2021)" : ", typical of \(typical.rawValue) people")
  }

  /// The source of intervals of predictions; nil where there are none.
  private var spreadLine: String? {
    if case .fitted = parameters { return nil }
    let symbols = spreadParameters(of: typical ?? .fasted).map(\.symbol)
    let between =
      symbols.isEmpty ? "" : "\(symbols.joined(separator: ", ")) between people, and of "
    return "90 % intervals: the spread of \(between)r about its method (CV 12 to 15 %)."
  }

  /// The methods whose r depends on the water content of blood, and its basis; nil without any.
  static func waterLine(of methods: [any RFactorMethod]) -> String? {
    let ofWater = methods.compactMap { $0 as? any BodyWaterMethod }
    guard let content = ofWater.first?.bloodWater.content else { return nil }
    let names = ofWater.map(\.name).joined(separator: ", ")
    let basis =
      switch content {
      case BloodWater.perLitre.content: " (for g/L; use 0.80 for g/kg)"
      case BloodWater.perKilogram.content: " (for g/kg)"
      default: " (usual: 0.80 for g/kg, 0.844 for g/L)"
      }
    return "r of \(names): body water / (B x weight), B \(NumberStyle.exact(content))\(basis)."
  }
}
