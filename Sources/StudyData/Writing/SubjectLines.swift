import AlcoholKinetics

/// The lines of `subjects.csv`.
struct SubjectLines {
  let text: String

  init(_ subjects: [Subject]) {
    let covariates = Set(subjects.flatMap(\.covariates.keys)).sorted()
    var lines = CSVText(header: ["subject", "sex", "age_y", "height_cm", "weight_kg"] + covariates)
    for subject in subjects {
      let measures = [
        subject.sex?.rawValue, subject.age?.value.description,
        subject.height?.centimetres.description, subject.weight?.value.description,
      ]
      lines.appendLine(
        [subject.id] + measures.map { $0 ?? "" } + covariates.map { subject.covariates[$0] ?? "" })
    }
    text = lines.string
  }
}
