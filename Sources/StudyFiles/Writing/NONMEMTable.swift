import AlcoholKinetics
public import StudyData

/// A study as a table of events that holds numbers only, as NONMEM and nlmixr2 want it.
///
/// Subjects and occasions are numbered where their names are no numbers. What a subject had eaten is FED, 1 or 0; UUIDs
/// and other covariates in words are left out. `StudyReader` reads the table.
public struct NONMEMTable {
  /// The table, as CSV.
  public let csv: String
  /// Who has which number, as `ID 1: "ann"`; empty if names are numbers.
  public let names: [String]

  /// Writes the table of a study.
  ///
  /// - Throws: ``StudyWritingError`` if readings are in several units, or a name cannot be written.
  public init(_ study: Study) throws(StudyWritingError) {
    try StudyNames.check(study)
    _ = try StudyNames.unit(of: study)
    let numbered = NumberedStudy(study)
    let columns = try EventTableColumns(of: numbered.study, isNumeric: true)
    csv = try EventWriter.csv(numbered.study, columns, withResets: true)
    names = numbered.names
  }
}

/// A study whose subjects and occasions are called by numbers, and that holds nothing but numbers.
private struct NumberedStudy {
  private(set) var study: Study
  private(set) var names: [String] = []

  init(_ study: Study) {
    self.study = study
    let subjects = Self.numbers(study.series.map(\.subject.id))
    let occasions = Self.numbers(study.series.compactMap(\.occasion))
    names += Self.legend("ID", subjects) + Self.legend("OCC", occasions)
    let covariates = Set(study.series.flatMap(\.subject.covariates.keys)).filter { name in
      study.series.allSatisfy { Self.isNumeric($0.subject.covariates[name] ?? "") }
    }
    // The rows of a subject must stand together.
    let order = Dictionary(
      study.series.map(\.subject.id).enumerated().map { ($1, $0) }, uniquingKeysWith: min)
    self.study.series = study.series.enumerated()
      .sorted {
        (order[$0.element.subject.id] ?? 0, $0.offset) < (
          order[$1.element.subject.id] ?? 0, $1.offset
        )
      }
      .map { Self.numbered($0.element, subjects, occasions, covariates) }
  }

  private static func numbered(
    _ series: Series, _ subjects: [String: Int], _ occasions: [String: Int],
    _ covariates: Set<String>
  ) -> Series {
    var series = series
    series.uuids = GivenUUIDs()
    series.subject.id = "\(subjects[series.subject.id] ?? 0)"
    series.occasion = series.occasion.map { "\(occasions[$0] ?? 0)" }
    // What was eaten is written as a number.
    series.subject.covariates = series.subject.covariates.filter {
      covariates.contains($0.key) || $0.key == Subject.foodName
    }
    for index in series.drinks.indices {
      guard let grams = series.drinks[index].ethanol.mass(forBodyWeight: series.subject.weight)
      else { continue }
      series.drinks[index].ethanol = .mass(grams)
    }
    return series
  }

  /// A number for each name: itself if all of them are small whole numbers, else by first mention.
  private static func numbers(_ names: [String]) -> [String: Int] {
    let own = names.map { name in
      Int(name).flatMap { (1...99_999).contains($0) && "\($0)" == name ? $0 : nil }
    }
    var numbers: [String: Int] = [:]
    for (name, number) in zip(names, own) where numbers[name] == nil {
      numbers[name] = own.contains(nil) ? numbers.count + 1 : number
    }
    return numbers
  }

  private static func legend(_ column: String, _ numbers: [String: Int]) -> [String] {
    numbers.sorted { $0.value < $1.value }.filter { "\($0.value)" != $0.key }
      .map { "\(column) \($0.value): \($0.key.quoted)" }
  }

  private static func isNumeric(_ text: String) -> Bool {
    ["", ".", "NA"].contains(text) || Double(text)?.isFinite == true
  }
}
