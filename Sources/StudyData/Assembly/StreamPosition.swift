/// Where a stream is in its study.
///
/// A class: the walk reads from memory that is filled anew as it goes, so that it cannot be copied
/// and go on in two places.
final class StreamPosition {
  /// The walk through the tables; nil at its end, and where everything has been read at once.
  var walk: SubjectWalk?
  /// What has not been given out of what was read at once.
  var rest: ArraySlice<Series>
  /// What was found in the study as a whole.
  var diagnostics: [Diagnostic]

  /// At the beginning of a walk.
  init(_ walk: SubjectWalk, _ diagnostics: [Diagnostic]) {
    self.walk = walk
    rest = []
    self.diagnostics = diagnostics
  }

  /// At the beginning of what is in memory.
  init(_ series: ArraySlice<Series>, _ diagnostics: [Diagnostic]) {
    rest = series
    self.diagnostics = diagnostics
  }
}
