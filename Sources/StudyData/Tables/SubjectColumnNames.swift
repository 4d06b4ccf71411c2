/// What the columns are called that tell who a subject is.
struct SubjectColumnNames {
  /// The column with the subject's name.
  let subject: String
  /// Sex, age, height and weight, each by any of its names; the first is the one that is usual.
  let measures: [[String]]

  /// The names in `subjects.csv`.
  static let ofStudies = SubjectColumnNames(
    subject: "subject", measures: [["sex"], ["age_y"], ["height_cm"], ["weight_kg"]])

  /// The names in tables of events, where they are short.
  static let ofEvents = SubjectColumnNames(
    subject: "id",
    measures: [["sex"], ["age", "age_y"], ["ht", "height_cm"], ["wt", "weight_kg"]])
}
