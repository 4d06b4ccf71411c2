import AlcoholKinetics
public import Casework
import Foundation

extension Report {
  /// The report of an answered case.
  public static func answer(_ answer: CaseAnswer, provenance: Provenance) -> Report {
    let words = CaseWords(answer)
    return Report(
      introduction: words.introduction,
      sections: [
        Section(caseAnswers, rows: answer.values.map { CaseRow(answer: answer, value: $0) }),
        Section(
          caseLimits,
          rows: answer.limits.map { (limit: $0, unit: answer.one.unit.rawValue) }),
        Section(
          caseQuantiles,
          rows: answer.values.flatMap { value in
            (value.distribution?.quantiles ?? []).map { (value: value, quantile: $0) }
          }),
        Section(caseSensitivities, rows: answer.sensitivities),
        Section(caseInputs, rows: answer.inputs),
        Section(caseWarnings, rows: answer.warnings),
        Section(
          caseBand,
          rows: answer.band.map { (point: $0, one: answer.one) }),
      ],
      notes: words.findings + answer.warnings.map { "\($0.code): \($0.message)" },
      provenance: provenance)
  }

  static let caseAnswers = TableLayout<CaseRow>(
    "answers",
    columns: [
      Column("question", \.answer.one.question),
      Column("mode", \.answer.options.mode),
      Column("quantity", heading: "quantity", \.value.quantity.name),
      Column("limit", heading: "limit", \.value.quantity.limit),
      Column("unit", heading: "unit", \.value.quantity.unit),
      Column("likeliest", heading: "most likely", \.value.likeliest),
      Column("low", heading: "low", \.value.low),
      Column("high", heading: "high", \.value.high),
      Column("low_se", heading: "SE of low", style: .significant(2)) {
        $0.value.distribution?.error(of: $0.value.low)
      },
      Column("high_se", heading: "SE of high", style: .significant(2)) {
        $0.value.distribution?.error(of: $0.value.high)
      },
      Column("level", \.level),
      Column("likeliest_clock", heading: "most likely at") { $0.clock($0.value.likeliest) },
      Column("low_clock", heading: "earliest") { $0.clock($0.value.low) },
      Column("high_clock", heading: "latest") { $0.clock($0.value.high) },
      Column("median", \.value.distribution?.median),
      Column("mean", \.value.distribution?.mean),
      Column("sd", heading: "SD", \.value.distribution?.sd),
      Column("draws") { $0.value.distribution == nil ? nil : $0.answer.options.draws },
      Column("measured_pairs") { $0.measured == nil ? nil : MeasuredCoverage.pairs },
      Column("measured_held", \.measured?.held),
      Column("measured_below", \.measured?.below),
      Column("measured_above", \.measured?.above),
      Column("elapsed_h") { $0.answer.one.span.map { ($0.end - $0.start).value } },
    ])

  static let caseLimits = TableLayout<(limit: CaseAnswer.Limit, unit: String)>(
    "case_limits",
    columns: [
      Column("limit", heading: "limit", \.limit.limit),
      Column("unit", heading: "unit", \.unit),
      Column("verdict", oneOf: ["above", "not-above", "undecided"], heading: "verdict") {
        $0.limit.isAbove.low ? "above" : $0.limit.isAbove.high ? "undecided" : "not-above"
      },
      Column("likeliest_above", heading: "most likely above", \.limit.isAbove.likeliest),
      Column("chance_above", heading: "chance above", \.limit.chance?.value),
      Column("chance_se", heading: "SE", style: .significant(2), \.limit.chance?.error),
    ])

  static let caseQuantiles = TableLayout<
    (value: CaseAnswer.Value, quantile: CaseDistribution.Quantile)
  >(
    "quantiles",
    columns: [
      Column("quantity", \.value.quantity.name),
      Column("limit", \.value.quantity.limit),
      Column("unit", \.value.quantity.unit),
      Column("probability", \.quantile.p),
      Column("value", \.quantile.value),
      Column("se", \.quantile.error),
    ])

  static let caseSensitivities = TableLayout<CaseAnswer.Sensitivity>(
    "sensitivities",
    columns: [
      Column("input", heading: "input", \.input),
      Column("first", heading: "alone", style: .decimals(3), \.first),
      Column("first_se", heading: "SE", style: .significant(2), \.firstError),
      Column("total", heading: "with interactions", style: .decimals(3), \.total),
      Column("total_se", heading: "SE", style: .significant(2), \.totalError),
    ])

  static let caseInputs = TableLayout<CaseInput>(
    "case_inputs",
    columns: [
      Column("input", heading: "input", \.name),
      Column("unit", heading: "unit", \.unit),
      Column("likeliest", heading: "most likely", \.value.likeliest),
      Column("low", heading: "low", \.value.ends.lowerBound),
      Column("high", heading: "high", \.value.ends.upperBound),
      Column("distribution", \.value.text),
      Column("source", heading: "source", \.source),
    ])

  static let caseWarnings = TableLayout<CaseWarning>(
    "case_warnings",
    columns: [
      Column("code", \.code),
      Column("message", \.message),
    ])

  static let caseBand = TableLayout<(point: CaseAnswer.BandPoint, one: Case)>(
    "band",
    columns: [
      Column("time_h", \.point.time.value),
      Column("clock") { $0.one.clock.text($0.point.time) },
      Column("unit", \.one.unit.rawValue),
      Column("likeliest", \.point.likeliest),
      Column("low", \.point.low),
      Column("high", \.point.high),
    ])
}

extension CaseQuestion: ColumnValue {}
extension CaseOptions.Mode: ColumnValue {}
extension CaseQuantity.Name: ColumnValue {}
extension CaseInput.Name: ColumnValue {}

struct CaseRow: Sendable {
  let answer: CaseAnswer
  let value: CaseAnswer.Value

  var level: Double? { value.distribution == nil ? nil : answer.options.level }

  /// The measured coverage of answers of this kind; nil for quantities beside the main one.
  var measured: MeasuredCoverage? {
    value.quantity == answer.main.quantity ? answer.measuredCoverage : nil
  }

  /// A time in h as a clock shows it; nil for anything else.
  func clock(_ hours: Double) -> String? {
    guard value.quantity.name == .timeBelow, hours > 0 else { return nil }
    return answer.one.clock.text(answer.one.reference + Hours(hours))
  }
}
