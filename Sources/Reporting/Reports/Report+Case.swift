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
    "answers", "A row per quantity; the first is what was asked.",
    columns: [
      Column("question", "the question", \.answer.one.question),
      Column(
        "mode", "guideline: most likely value and range; monte-carlo: distribution",
        \.answer.options.mode),
      Column("quantity", heading: "quantity", "what the row is about", \.value.quantity.name),
      Column(
        "limit", heading: "limit", "the limit that a time is about, in the unit of answers",
        \.value.quantity.limit),
      Column(
        "unit", heading: "unit",
        "unit of the values; h: since the measurement, or without one since the first drink",
        \.value.quantity.unit),
      Column(
        "likeliest", in: "`unit`", heading: "most likely", "value at the most likely inputs",
        \.value.likeliest),
      Column(
        "low", in: "`unit`", heading: "low",
        "lower end: of all combinations of the inputs' ends, or of the interval of the distribution",
        \.value.low),
      Column("high", in: "`unit`", heading: "high", "upper end", \.value.high),
      Column(
        "low_se", in: "`unit`", heading: "SE of low", style: .significant(2),
        "standard error of low, from the number of draws"
      ) { $0.value.distribution?.error(of: $0.value.low) },
      Column(
        "high_se", in: "`unit`", heading: "SE of high", style: .significant(2), "the same of high"
      ) { $0.value.distribution?.error(of: $0.value.high) },
      Column("level", "level of the interval; none in guideline mode", \.level),
      Column(
        "likeliest_clock", heading: "most likely at",
        "a time as a clock shows it; none where the limit is not exceeded"
      ) { $0.clock($0.value.likeliest) },
      Column("low_clock", heading: "earliest", "the same of low") { $0.clock($0.value.low) },
      Column("high_clock", heading: "latest", "the same of high") { $0.clock($0.value.high) },
      Column("median", in: "`unit`", "median of the distribution", \.value.distribution?.median),
      Column("mean", in: "`unit`", "mean of the distribution", \.value.distribution?.mean),
      Column(
        "sd", in: "`unit`", heading: "SD", "standard deviation of the distribution",
        \.value.distribution?.sd),
      Column("draws", "random draws") {
        $0.value.distribution == nil ? nil : $0.answer.options.draws
      },
      Column(
        "measured_pairs",
        "pairs of readings of measured people, on whom answers of this kind were tried; empty if they were not"
      ) { $0.measured == nil ? nil : MeasuredCoverage.pairs },
      Column(
        "measured_held", "of these, earlier readings that lay from low to high", \.measured?.held),
      Column("measured_below", "those that were lower: the answer was too high", \.measured?.below),
      Column("measured_above", "those that were higher: the answer was too low", \.measured?.above),
      Column(
        "elapsed_h",
        "hours that passed between the two times of the answer; empty for a question about a time"
      ) { $0.answer.one.span.map { ($0.end - $0.start).value } },
    ])

  static let caseLimits = TableLayout<(limit: CaseAnswer.Limit, unit: String)>(
    "case_limits", "In JSON: a row per limit that the concentration is held against.",
    columns: [
      Column("limit", in: "`unit`", heading: "limit", "the limit", \.limit.limit),
      Column("unit", heading: "unit", "its unit", \.unit),
      Column(
        "verdict", oneOf: ["above", "not-above", "undecided"], heading: "verdict",
        "above: the whole range or interval is; not-above: none of it is; undecided: a part"
      ) { $0.limit.isAbove.low ? "above" : $0.limit.isAbove.high ? "undecided" : "not-above" },
      Column(
        "likeliest_above", heading: "most likely above",
        "whether the most likely value is above it", \.limit.isAbove.likeliest),
      Column(
        "chance_above", heading: "chance above", "fraction of draws above it", \.limit.chance?.value
      ),
      Column(
        "chance_se", heading: "SE", style: .significant(2),
        "its standard error, from the number of draws", \.limit.chance?.error),
    ])

  static let caseQuantiles = TableLayout<
    (value: CaseAnswer.Value, quantile: CaseDistribution.Quantile)
  >(
    "quantiles", "In JSON: a row per quantity and probability.",
    columns: [
      Column("quantity", "as in `answers`", \.value.quantity.name),
      Column("limit", "as in `answers`", \.value.quantity.limit),
      Column("unit", "as in `answers`", \.value.quantity.unit),
      Column("probability", "the probability of being below", \.quantile.p),
      Column("value", in: "`unit`", "the quantile", \.quantile.value),
      Column("se", in: "`unit`", "its standard error, from the number of draws", \.quantile.error),
    ])

  static let caseSensitivities = TableLayout<CaseAnswer.Sensitivity>(
    "sensitivities",
    "In JSON: a row per uncertain input: its part of the variance of the first answer (Sobol indices).",
    columns: [
      Column("input", heading: "input", "the input", \.input),
      Column(
        "first", heading: "alone", style: .decimals(3), "first-order index: from the input alone",
        \.first),
      Column("first_se", heading: "SE", style: .significant(2), "its standard error", \.firstError),
      Column("total", heading: "with interactions", style: .decimals(3), "total index", \.total),
      Column("total_se", heading: "SE", style: .significant(2), "its standard error", \.totalError),
    ])

  static let caseInputs = TableLayout<CaseInput>(
    "case_inputs", "In JSON: a row per input.",
    columns: [
      Column("input", heading: "input", "the input", \.name),
      Column("unit", heading: "unit", "its unit", \.unit),
      Column(
        "likeliest", in: "`unit`", heading: "most likely", "most likely value", \.value.likeliest),
      Column(
        "low", in: "`unit`", heading: "low", "lower end of its range", \.value.ends.lowerBound),
      Column(
        "high", in: "`unit`", heading: "high", "upper end of its range", \.value.ends.upperBound),
      Column("distribution", "what is assumed of it", \.value.text),
      Column("source", heading: "source", "where that comes from", \.source),
    ])

  static let caseWarnings = TableLayout<CaseWarning>(
    "case_warnings", "In JSON: a row per warning.",
    columns: [
      Column("code", "the code", \.code),
      Column("message", "what was found, and what to do", \.message),
    ])

  static let caseBand = TableLayout<(point: CaseAnswer.BandPoint, one: Case)>(
    "band", "In JSON: a row per point of the curves behind the answer.",
    columns: [
      Column("time_h", "hours since the midnight of the case's date", \.point.time.value),
      Column("clock", "the same as a clock shows it") { $0.one.clock.text($0.point.time) },
      Column("unit", "unit of the concentrations", \.one.unit.rawValue),
      Column(
        "likeliest", in: "`unit`", "concentration at the most likely inputs", \.point.likeliest),
      Column(
        "low", in: "`unit`", "lower edge, of the range or the interval at each time", \.point.low),
      Column("high", in: "`unit`", "upper edge", \.point.high),
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

  /// Of what was asked, how often answers of this kind held on people.
  var measured: MeasuredCoverage? {
    value.quantity == answer.main.quantity ? answer.measuredCoverage : nil
  }

  /// A time in h as a clock shows it; nil for anything else.
  func clock(_ hours: Double) -> String? {
    guard value.quantity.name == .timeBelow, hours > 0 else { return nil }
    return answer.one.clock.text(answer.one.reference + Hours(hours))
  }
}
