import AlcoholKinetics
import StudyData
public import Validation

extension Report {
  /// The report of fitting every series of a study.
  public static func fit(_ fits: [StudyFit], provenance: Provenance) -> Report {
    Report(
      introduction: [
        "k_a in 1/h, beta in g/kg/h, r in kg/kg, residual SD in g/kg, each with its standard error.",
        "Above dose: readings above dose / (r x weight), more than everything drunk could give.",
      ],
      sections: [Section(name: "fits", table: Table(fitColumns, rows: fits))],
      notes: Note.grouped(fits.flatMap(notes)),
      provenance: provenance)
  }

  private static let fitColumns: [Column<StudyFit>] =
    Series.identityColumns { $0.series } + [
      Column("status", heading: "status") { .text($0.status) },
      Column("reason") { .words($0.result.reason) },
      Column("n", heading: "n") { .count($0.result.value?.readings) },
      Column("r_factor", heading: "r factor") { .text($0.rFactor) },
      Column("r", heading: "r", style: .decimals(3)) {
        .number($0.result.value?.parameters.r.value)
      },
      Column("r_se", heading: "SE", style: .decimals(3)) { .number($0.standardError(.r)) },
      Column("ka_per_h", heading: "k_a") { .number($0.result.value?.parameters.ka.value) },
      Column("ka_se", heading: "SE", style: .significant(2)) { .number($0.standardError(.ka)) },
      Column("beta_g_per_kg_h", heading: "beta") {
        .number($0.result.value?.parameters.beta.value)
      },
      Column("beta_se", heading: "SE", style: .significant(2)) {
        .number($0.standardError(.beta))
      },
      Column("rss") { .number($0.result.value?.rss) },
      Column("residual_sd", heading: "resid. SD", style: .significant(2)) {
        .number($0.result.value?.residualSD)
      },
      Column("above_dose", heading: "above dose") { .count($0.result.value?.readingsAboveDose) },
      Column("iterations") { .count($0.result.value?.iterations) },
      Column("starts") { .count($0.result.value?.starts.count) },
      Column("warnings") { .codes($0.result.value?.warnings.map(\.code) ?? []) },
    ]

  private static func notes(about fit: StudyFit) -> [Note] {
    switch fit.result {
    case .failure(let failure):
      [Note(about: fit.series, failure.reason)]
    case .success(let value):
      value.warnings.map { Note(about: fit.series, $0.remark) }
    }
  }
}

extension StudyFit {
  /// Whether there are estimates and whether they are those of a minimum.
  fileprivate var status: String {
    guard let value = result.value else { return "failed" }
    return value.isConverged ? "ok" : "not-converged"
  }

  fileprivate func standardError(_ parameter: FitParameter) -> Double? {
    result.value?.standardErrors[parameter]
  }
}

extension FitWarning {
  /// Code and description, as notes carry them.
  var remark: String { "\(code): \(self)" }
}
