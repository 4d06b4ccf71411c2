import StudyData

extension Study {
  /// The study as it was added to a database, without what the database itself has to say of it.
  func asAdded(to path: String) -> Study {
    var study = self
    study.diagnostics.removeAll { $0.location.file == path }
    for index in study.series.indices {
      study.series[index].diagnostics.removeAll { $0.location.file == path }
    }
    return study
  }
}
