import AlcoholKinetics
public import Estimation
package import StudyData
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
        Section(Self.models, rows: rows), Section(Self.evidence, rows: evidence),
      ],
      notes: evidence.filter(\.isNoteworthy).map { StudyWarning.betterModel($0).remark }
        + Note.grouped(
          rows.flatMap { Note.all($0.series, $0.fit.result, of: "\($0.fit.candidate.name): ") }),
      provenance: provenance)
  }

  package static let models = TableLayout<CandidateRow>(
    "models",
    columns: Series.identityColumns { $0.series } + [
      Column("model", heading: "model", \.fit.candidate.name),
      .status { $0.fit.result.status },
      .reason { $0.fit.result.reason },
      Column("k", heading: "k", \.fit.criteria?.parameters),
      Column("n", heading: "n", \.fit.result.value?.usedCount),
      Column("deviance", heading: "-2 ln L", style: .decimals(1), \.fit.criteria?.deviance),
      Column("aicc", heading: "AICc", style: .decimals(1), \.fit.criteria?.aicc),
      Column("delta_aicc", heading: "delta", style: .decimals(1), \.fit.difference),
      Column("weight", heading: "weight", style: .decimals(3), \.fit.weight),
      Column("bic", heading: "BIC", style: .decimals(1), \.fit.criteria?.bic),
      .warnings { $0.fit.result.value?.warnings.map(\.code) },
    ])
}

/// One candidate of one series, as a row.
package struct CandidateRow: Sendable {
  package let series: Series
  package let fit: CandidateFit

  package static func all(of selection: ModelSelection) -> [CandidateRow] {
    selection.candidates.map { CandidateRow(series: selection.series, fit: $0) }
  }
}
