package import StudyData
package import StudyFiles

extension StudyStream {
  /// Begins to read a study that has been opened.
  package init(_ input: StudyInput) throws(StudyError) {
    self = try input.stream()
  }
}
