import AlcoholKinetics

/// The lines of `subjects.csv`.
struct SubjectLines {
  let text: String

  /// Writes the lines; throws ``StudyWritingError`` if a covariate is called as another column.
  init(_ subjects: [Subject]) throws(StudyWritingError) {
    let names = SubjectColumnNames.ofStudies
    let columns = [names.subject] + names.measures.joined()
    let covariates = try StudyNames.covariates(of: subjects, besides: Set(columns))
    var lines = CSVText(header: columns + covariates)
    for subject in subjects {
      let measures = [
        subject.sex?.rawValue, subject.age?.value.description,
        subject.height?.centimetres.description, subject.weight?.value.description,
      ]
      lines.appendRow(
        [subject.id] + measures.map { $0 ?? "" } + covariates.map { subject.covariates[$0] ?? "" })
    }
    text = lines.string
  }
}
