public import StudyData

extension StudyStore {
  /// Adds a study to the database: what is new is added, what changed is updated with a log of the
  /// old value, what is there already is left alone, and nothing is removed.
  ///
  /// Subjects are the same if their names are; series if subject and occasion are; drinks if they
  /// have the same time in the same series; readings if they have the same time and unit.
  ///
  /// - Parameters:
  ///   - study: The study.
  ///   - source: Where it came from, as the log names it.
  ///   - selection: Which of its records to take.
  /// - Returns: How many records of each type were added, changed and left alone.
  /// - Throws: ``StoreError``, with the database as it was.
  @discardableResult
  public func add(
    _ study: Study, from source: String? = nil, selection: ImportSelection = ImportSelection()
  ) throws(StoreError) -> ImportCounts {
    try write(Schema.studyTables) { db in
      let log = try ImportLog(source: source ?? study.name, inputs: study.inputs, on: db)
      let synchronisation = try StudySynchronisation(log: log, selection: selection, on: db)
      try synchronisation.add(study)
      try log.close()
      return log.counts
    }
  }
}
