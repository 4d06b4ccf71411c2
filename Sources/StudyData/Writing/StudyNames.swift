import AlcoholKinetics

/// Checks that the names in a study mean the same once they stand in a file.
enum StudyNames {
  /// Refuses subjects and occasions that files would take for a missing value.
  static func check(_ study: Study) throws(StudyWritingError) {
    for series in study.series {
      for name in [series.subject.id] + [series.occasion].compactMap(\.self) {
        let means = name.withoutBlanksAround
        guard !["", ".", "NA"].contains(means) else { throw .name(name) }
      }
    }
  }

  /// The names of a study's covariates in order, each of which is to be a column.
  ///
  /// - Parameter taken: The names of the other columns, and those that would be taken for one of
  ///   them, in small letters.
  /// - Throws: ``StudyWritingError`` if one of them could not be told from another column.
  static func covariates(
    of subjects: some Sequence<Subject>, besides taken: Set<String>
  ) throws(StudyWritingError) -> [String] {
    let names = Set(subjects.flatMap(\.covariates.keys)).sorted()
    var taken = taken
    for name in names {
      let key = name.withoutBlanksAround.lowercased()
      guard !key.isEmpty, taken.insert(key).inserted else { throw .covariate(name) }
    }
    return names
  }
}

extension String {
  /// What a reader makes of a field.
  fileprivate var withoutBlanksAround: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let start = drop(while: isBlank)
    return String(start.reversed().drop(while: isBlank).reversed())
  }
}
