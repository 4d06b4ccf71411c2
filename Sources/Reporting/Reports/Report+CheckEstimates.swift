import AlcoholKinetics
public import StudyData

extension Report {
  /// The report of what is in a study of estimates and what is wrong with it.
  public static func check(_ study: EstimateStudy, provenance: Provenance) -> Report {
    Report(
      introduction: [
        study.title ?? study.name,
        "subjects: \(study.subjects.count); C0 in g/kg, beta60 in g/kg/h, r in kg/kg",
      ],
      sections: [
        Section(name: "estimates", table: Table(estimateColumns, rows: study.subjects)),
        findings(study.allDiagnostics),
      ],
      notes: study.allDiagnostics.map(\.description) + [verdict(on: study.allDiagnostics)],
      provenance: provenance)
  }

  private static let estimateColumns: [Column<SubjectEstimate>] =
    [Column("subject", heading: "subject") { .text($0.subject.id) }]
    + Subject.bodyColumns { $0.subject } + [
      Column("ethanol_g", heading: "ethanol g", style: .decimals(1)) { .number($0.ethanol?.value) },
      Column("c0_g_per_kg", heading: "C0", style: .decimals(3)) { .number($0.c0?.value) },
      Column("beta60_g_per_kg_h", heading: "beta60", style: .decimals(3)) {
        .number($0.beta60?.value)
      },
      Column("c0_breath_mg_per_l", heading: "breath C0 mg/L", style: .decimals(3)) {
        .number($0.c0BreathMgPerL)
      },
      Column("r_observed", heading: "r", style: .decimals(3)) { .number($0.observedR?.value) },
      Column("errors") { .integer($0.diagnostics.count { $0.severity == .error }) },
      Column("warnings") { .integer($0.diagnostics.count { $0.severity == .warning }) },
    ]
}
