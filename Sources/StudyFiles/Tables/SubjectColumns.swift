import AlcoholKinetics
import StudyData

/// The names of the columns that describe subjects.
struct SubjectColumnNames {
  let subject: String
  /// The names for sex, age, height and weight, each with the preferred one first.
  let measures: [[String]]

  static let ofStudies = SubjectColumnNames(
    subject: "subject", measures: [["sex"], ["age_y"], ["height_cm"], ["weight_kg"]])

  /// The names in tables of events, which are short.
  static let ofEvents = SubjectColumnNames(
    subject: "id",
    measures: [["sex", "male"], ["age", "age_y"], ["ht", "height_cm"], ["wt", "weight_kg"]])

  /// All names of measures, for messages.
  var listing: String { measures.map { $0.joined(separator: " or ") }.joined(separator: ", ") }
}

/// The columns of `subjects.csv`, or the columns of another table that describe its subjects.
final class SubjectColumns {
  let subject: Column
  private let sex: Column?
  /// The codes in the column of sexes, as stated by the column map; empty for words.
  private let codesOfSexes: [String: Sex]
  private let age: Column?
  private let height: Column?
  private let weight: Column?
  private let food: Column?
  private let covariates: [Column]
  /// The columns of remarks on single rows of a table of events, recognised by their headers.
  let remarks: [Column]

  /// Finds the columns of a table; `others` are further columns that are not covariates. Nil, reported, without subjects.
  init?(
    header: Header, called names: SubjectColumnNames = .ofStudies, besides others: Set<String> = []
  ) {
    var columns = names.measures.map { header.column(anyOf: $0) }
    let coded = header.mapped.first { ColumnMeaning.named($0.key)?.sexes.isEmpty == false }
    columns[0] = columns[0] ?? coded
    let codes = columns[0].flatMap { ColumnMeaning.named($0.key) }?.sexes ?? [:]
    codesOfSexes = codes.compactMapValues(Sex.init(rawValue:))
    let missing = zip(names.measures, columns).filter { $1 == nil }.compactMap(\.0.first)
    if !missing.isEmpty {
      header.reportMissing(
        "column \(missing.joined(separator: ", "))", code: .measureColumnMissing,
        remedy:
          "correct the header if a name is misspelt; methods that need the measure report an error")
    }
    guard let subject = header.required(names.subject) else { return nil }
    self.subject = subject
    sex = columns[0]
    age = columns[1]
    height = columns[2]
    weight = columns[3]
    food = header.column(Subject.foodName)
    let reserved = others.union([names.subject]).union((columns + [food]).compactMap { $0?.key })
    let rest = header.columns.filter { !$0.name.isEmpty && !reserved.contains($0.key) }
    let remarks = rest.filter { column in
      names.subject == "id" && HeaderText(column.name).isCalled("remark")
        && !header.isStated(column)
    }
    covariates = rest.filter { column in !remarks.contains { $0 === column } }
    self.remarks = remarks
    for column in remarks {
      header.report(
        .columnIgnored, at: column.place,
        "the column \(column.name.quoted) has remarks and is not used",
        remedy: "if it describes the subjects, say --map \"\(column.name)=covariate\"")
    }
    for column in header.mapped where names.subject == "id" && !reserved.contains(column.key) {
      header.report(
        .columnMap, at: column.place,
        "the column is said to be \(column.name), which a table of events does not have",
        remedy:
          "its columns are ID, TIME in hours, AMT in g, DV, EVID, \(names.listing); convert the column, or leave "
          + "that --map out")
    }
  }

  static let remedyForDuplicate = "keep one row per subject; occasions belong in drinks.csv"

  /// Reads the description of a subject from a row; reports a duplicate if the subject already has one.
  func describe(
    _ draft: SubjectDraft, by row: CSVRow, remedyForDuplicate: String = remedyForDuplicate
  ) {
    if let first = draft.place {
      row.report(.duplicate, in: subject, "as in line \(first.line)", remedy: remedyForDuplicate)
      return
    }
    draft.place = row.place(of: subject.index)
    draft.missingWeight = weight.flatMap {
      row.isMissing($0.index) ? row.place(of: $0.index) : nil
    }
    draft.subject = person(draft.subject.id, in: row)
  }

  var descriptions: [Column] { [sex, age, height, weight, food].compactMap(\.self) + covariates }

  func isCovariate(_ column: Column) -> Bool { covariates.contains { $0 === column } }

  private func person(_ id: String, in row: CSVRow) -> Subject {
    var subject = Subject(
      id: id,
      sex: sex(in: row),
      age: row.number(in: age, .age).value.map { Years($0) },
      height: height(in: row),
      weight: row.number(in: weight, .weight).value.map { Kilograms($0) },
      covariates: covariates.reduce(into: [:]) { $0[$1.name] = row.text(of: $1.index) })
    subject.food = food(in: row)
    if let weight, let doubt = subject.bodyDoubt {
      row.report(doubt.code, in: weight, doubt.complaint, remedy: doubt.remedy)
    }
    return subject
  }

  private static let numbersOfSexes: [String: Sex] = ["1": .male, "0": .female]
  private static let wordsOfSexes: [String: Sex] = [
    "male": .male, "m": .male, "man": .male, "female": .female, "f": .female, "woman": .female,
  ]

  private func sex(in row: CSVRow) -> Sex? {
    if !codesOfSexes.isEmpty, let sex {
      // Codes may be written as 1.0.
      let word = row.filled(sex).map { text in
        Double(text).flatMap { Int(exactly: $0) }.map(String.init) ?? text
      }
      guard let word else { return nil }
      if let sex = codesOfSexes[word] { return sex }
      row.report(
        .sex, in: sex, "which --map does not explain",
        remedy: "choose the --map that has all codes of the column")
      return nil
    }
    guard sex?.key != "male" else {
      return row.meaning(
        in: sex, of: Self.numbersOfSexes, .sex, "which is neither 0 nor 1",
        remedy: "write 1 for a man, 0 for a woman, or leave the field empty")
    }
    return row.meaning(
      in: sex, of: Self.wordsOfSexes, .sex, "which is neither male nor female",
      remedy:
        "write male, m, man, female, f or woman, or leave the field empty; of numbers say what they mean: --map "
        + "\"\(sex?.name ?? "SEX")=sex_0f1m\" (sex_0m1f, sex_1m2f, sex_1f2m), or call the column MALE with 1 for men"
    )
  }

  private func food(in row: CSVRow) -> FoodState? {
    guard let food, let word = row.filled(food) else { return nil }
    if let state = FoodState(rawValue: word.lowercased()) { return state }
    row.report(
      .word, in: food, FoodState.complaint,
      remedy: Double(word) == nil
        ? FoodState.remedy(for: word, orRename: true)
        : "numbers do not say which is which: write \(FoodState.inWords), or make it a covariate: --map "
          + "\"\(food.name)=covariate\"")
    return nil
  }

  private func height(in row: CSVRow) -> Metres? {
    let cell = row.number(in: height)
    guard let height, let centimetres = cell.value else { return nil }
    if BodyRange.heights ~= centimetres { return Metres(centimetres: centimetres) }
    if centimetres > 0, centimetres < 3 {
      row.report(
        .range, in: height, "which looks like metres",
        remedy: "give the height in centimetres")
    } else {
      row.report(
        .range, in: height, "which is not a plausible body height",
        remedy: "give the height in centimetres, \(BodyRange.heights.words)")
    }
    return nil
  }
}
