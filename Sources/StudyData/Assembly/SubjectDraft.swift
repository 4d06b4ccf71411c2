import AlcoholKinetics

/// A subject while the tables are being read.
struct SubjectDraft {
  var subject: Subject
  /// Where `subjects.csv` names the subject; nil for one that only other files know.
  var place: Place?
  /// Where the weight would stand, if it is missing in a table that has weights.
  var missingWeight: Place?
  /// What was found wrong with the subject's own row.
  var findings: [Diagnostic] = []
  /// Indices of the subject's series.
  var series: [Int] = []
}
