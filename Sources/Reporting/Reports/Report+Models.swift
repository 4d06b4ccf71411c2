import AlcoholKinetics
public import Estimation
import StudyData
import Validation

extension Report {
  /// The report of how candidates for a model fit every series, best first.
  public static func models(_ selections: [ModelSelection], provenance: Provenance) -> Report {
    let rows = selections.flatMap(CandidateRow.all)
    let evidence = ModelEvidence.all(of: selections)
    return Report(
      introduction: [
        "Models fitted to the same readings, best first. k: estimated parameters, error model "
          + "included.",
        "Delta: AICc minus the lowest of the series; up to 2: about as good; above 10: no support.",
        "Weight: share of the evidence (Burnham & Anderson 2002). Compare only within a series.",
      ],
      sections: [
        Section(name: "models", table: Table(modelColumns, rows: rows)), evidenceSection(evidence),
      ],
      notes: evidence.filter(\.isNoteworthy).map { StudyWarning.betterModel($0).remark }
        + Note.grouped(rows.flatMap(\.notes)),
      provenance: provenance)
  }

  /// The table of candidates, series by series.
  ///
  /// - Parameter format: One that ``ReportFormat/isByRow``.
  public static func modelLines(as format: ReportFormat) -> ModelLines {
    ModelLines(isJSON: format == .ndjson)
  }

  fileprivate static let modelColumns: [Column<CandidateRow>] =
    Series.identityColumns { $0.series } + [
      Column("model", heading: "model") { .text($0.fit.candidate.name) },
      Column("status", heading: "status") { .text($0.fit.result.status) },
      Column("reason") { .words($0.fit.result.reason) },
      Column("k", heading: "k") { .count($0.fit.criteria?.parameters) },
      Column("n", heading: "n") { .count($0.fit.result.value?.usedCount) },
      Column("deviance", heading: "-2 ln L", style: .decimals(1)) {
        .number($0.fit.criteria?.deviance)
      },
      Column("aicc", heading: "AICc", style: .decimals(1)) { .number($0.fit.criteria?.aicc) },
      Column("delta_aicc", heading: "delta", style: .decimals(1)) { .number($0.fit.difference) },
      Column("weight", heading: "weight", style: .decimals(3)) { .number($0.fit.weight) },
      Column("bic", heading: "BIC", style: .decimals(1)) { .number($0.fit.criteria?.bic) },
      Column("warnings") { .codes($0.fit.result.value?.warnings.map(\.code) ?? []) },
    ]
}

/// Writes how candidates fit, the series one at a time.
public struct ModelLines: Sendable {
  private let lines: RowLines<CandidateRow>

  fileprivate init(isJSON: Bool) {
    lines = RowLines(Report.modelColumns, isJSON: isJSON)
  }

  /// What stands before the rows: the header of CSV.
  public var head: String { lines.head }

  /// The candidates of a series, a line each.
  public func text(of selection: ModelSelection) -> String {
    CandidateRow.all(of: selection).map(lines.line).joined()
  }
}

/// One candidate of one series, as a row.
private struct CandidateRow {
  let series: Series
  let fit: CandidateFit

  static func all(of selection: ModelSelection) -> [CandidateRow] {
    selection.candidates.map { CandidateRow(series: selection.series, fit: $0) }
  }

  /// Failures and warnings, with the model that they are about.
  var notes: [Note] {
    switch fit.result {
    case .failure(let failure):
      [Note(about: series, "\(fit.candidate.name): \(failure.reason)")]
    case .success(let value):
      value.warnings.map {
        Note(about: series, "\(fit.candidate.name): \($0.remark)", at: $0.times)
      }
    }
  }
}
