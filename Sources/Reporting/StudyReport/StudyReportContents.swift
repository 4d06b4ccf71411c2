import StudyData
import Validation

/// The sections of a study's report.
struct StudyReportContents {
  /// What is reported.
  let study: StudyEvaluation
  /// How models with one parameter more fit the study; none if they were not fitted.
  let evidence: [ModelEvidence]
  /// How it was made.
  let provenance: Provenance
  /// How many series are shown with pictures; the others are in the tables.
  let shown: Int
  /// What there is to say of the fits, which several sections draw on.
  let fits: Report

  init(
    _ study: StudyEvaluation, _ evidence: [ModelEvidence], provenance: Provenance, shown: Int
  ) {
    self.study = study
    self.evidence = evidence
    self.provenance = provenance
    self.shown = shown
    fits = .fit(study.series.map(\.fit), options: study.fitOptions, provenance: provenance)
  }

  /// All of them.
  var page: Page {
    let title = study.study.title ?? study.study.name
    return Page(
      title: title,
      blocks: [.heading(1, title)] + studyBlocks + qualityBlocks + subjectBlocks
        + parameterBlocks + methodBlocks + residualBlocks + togetherBlocks + profileBlocks
        + howBlocks
        + provenanceBlocks)
  }
}
