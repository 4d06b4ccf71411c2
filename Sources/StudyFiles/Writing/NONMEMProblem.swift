import AlcoholKinetics
public import StudyData

/// A study as NONMEM and nlmixr2 can run it: a table of numbers, a control stream beside it, and a script for
/// R with the same model.
///
/// The model is Widmark's with first-order absorption, k_a, beta and r varying between subjects, or that of a population: it
/// is where one begins, not what ``StudyReader`` needs. That reads the table, whose subjects and occasions are numbered
/// where their names are no numbers; the control stream says who is who. What a subject had eaten is FED, 1 or 0;
/// UUIDs and other covariates in words are left out.
public struct NONMEMProblem {
  /// What files written here say near their beginning.
  public static let mark = "Written by promille export"
  /// The table, as CSV.
  public let table: String
  /// The control stream of NONMEM.
  public let control: String
  /// The script for R.
  public let script: String

  /// Writes the three.
  ///
  /// - Parameters:
  ///   - study: The study.
  ///   - name: What the table will be called, in the folder of all three.
  ///   - model: The model with its initial estimates; nil for Widmark's.
  /// - Throws: ``StudyWritingError`` if readings are in several units, or a name cannot be written.
  public init(
    _ study: Study, table name: String, model: ProblemModel? = nil
  ) throws(StudyWritingError) {
    try StudyNames.check(study)
    let unit = try StudyNames.unit(of: study)
    let numbered = NumberedStudy(study)
    let columns = try EventTableColumns(of: numbered.study, isNumeric: true)
    table = try EventWriter.csv(numbered.study, columns, withResets: true)
    let model = model ?? .usual
    let occasions = Set(numbered.study.series.compactMap { $0.occasion.flatMap(Int.init) }).sorted()
    let factor = unit.gramsPerKilogram(using: ConversionFactors())
    let code = ProblemCode(model, occasions: occasions, factor: factor)
    let isCensored = columns.names.contains("CENS")
    // What stands in the templates `nonmem.ctl` and `nlmixr2.R`.
    let values: [String: String] = [
      "study": study.name.plain, "mark": Self.mark, "unit": unit.rawValue, "table": name.plain,
      "input": Self.input(columns.names, unit, code), "factor": "\(factor)",
      "model": model.elimination.title, "pk": code.pk, "elimination": code.elimination,
      "deviation": code.deviation, "thetas": code.thetas(unit: unit.rawValue),
      "omegas": code.omegas, "prior": code.prior.subroutine, "prior values": code.prior.values,
      "initials": code.initials, "individual": code.individual,
      "elimination in r": code.eliminationInR, "error in r": code.errorInR,
      "names of control": numbered.names.map { "; \($0)\n" }.joined(),
      "names of script": numbered.names.map { "# \($0)\n" }.joined(),
      "method": isCensored ? "LAPLACIAN NUMERICAL SLOW" : "INTERACTION",
      "error": isCensored
        ? """
        IF (CENS.EQ.1) THEN ; below the limit of detection, which is in DV
          F_FLAG = 1
          Y = PHI((DV - IPRED)/SD)
        ELSE
          F_FLAG = 0
          Y = IPRED + SD*EPS(1)
        ENDIF
        """ : "Y = IPRED + SD*EPS(1)",
    ]
    control = Self.filled(PackageResources.nonmem_ctl, values)
    script = Self.filled(PackageResources.nlmixr2_R, values)
  }

  /// The columns as NONMEM calls them: what its model does not use is dropped.
  private static func input(
    _ columns: [String], _ unit: ConcentrationUnit, _ code: ProblemCode
  ) -> String {
    let used: Set = [
      "ID", "TIME", "AMT", "RATE", "EVID", "MDV", "CMT", "CENS", "OCC", "MALE", "AGE", "HT", "WT",
      "FED",
    ]
    return columns.map { column in
      column == "DV" || column == unit.rawValue
        ? "DV"
        : used.contains(column)
          ? column : code.columns.contains(column) ? column.uppercased() : "DROP"
    }.joined(separator: " ")
  }

  private static func filled(_ template: [UInt8], _ values: [String: String]) -> String {
    String(decoding: template, as: UTF8.self).replacing(/\{\{([a-z ]+)\}\}/) {
      values[String($0.1)] ?? ""
    }
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
      .map { "\(column) \($0.value): \($0.key.plain)" }
  }

  private static func isNumeric(_ text: String) -> Bool {
    ["", ".", "NA"].contains(text) || Double(text)?.isFinite == true
  }
}

extension String {
  /// In one line, in the letters that all programs read.
  fileprivate var plain: String {
    String(unicodeScalars.map { (" "..."~").contains($0) && $0 != "\"" ? Character($0) : "?" })
  }
}
