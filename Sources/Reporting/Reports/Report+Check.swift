package import AlcoholKinetics
public import StudyData
public import StudyFiles
import Validation

extension Diagnostic {
  /// The finding for users of the command, who state things about columns by an option.
  package var withOptions: Diagnostic { spellingOut("--map") }
}

extension Report {
  /// The report of what is in a study and what is wrong with it.
  public static func check(_ study: Study, provenance: Provenance) -> Report {
    var overview = StudyOverview(of: StudyStream(study), using: provenance.factors)
    for series in study.series { overview.add(series) }
    overview.findings = study.diagnostics
    return check(overview, provenance: provenance)
  }

  /// The report of a study whose series were gathered one by one.
  package static func check(_ study: StudyOverview, provenance: Provenance) -> Report {
    let findings = study.allFindings.map(\.withOptions)
    return Report(
      introduction: study.introduction,
      sections: [
        Section(SeriesOverview.table, rows: study.series),
        self.findings(findings), Section(takenColumns, rows: study.taken),
      ],
      notes: findings.collapsed.map(\.description) + [study.advice].compactMap(\.self) + [
        verdict(on: findings)
      ],
      provenance: provenance)
  }

  /// The report of a study that could not be read.
  public static func check(_ error: StudyError, provenance: Provenance) -> Report {
    let diagnostics = error.diagnostics.map(\.withOptions)
    return Report(
      sections: [findings(diagnostics)],
      notes: diagnostics.collapsed.map(\.description) + [verdict(on: diagnostics)],
      provenance: provenance)
  }

  /// The properties of an instrument, on a line; nil if none is stated.
  static func facts(about instrument: Instrument) -> String? {
    let facts = [
      instrument.name,
      instrument.resolution.map { "resolution \($0)" },
      instrument.relativeAccuracy.map {
        "accuracy \(NumberStyle.significant(2).format($0 * 100)) %"
      },
      instrument.limitOfDetection.map { "limit of detection \($0)" },
      instrument.mouthAlcoholWindow.map {
        "mouth-alcohol window \(NumberStyle.decimals(0).format($0.minutes)) min after a drink"
      },
    ].compactMap { $0 }
    return facts.isEmpty ? nil : facts.joined(separator: ", ")
  }

  static func findings(_ diagnostics: [Diagnostic]) -> Section {
    Section(findingTable, rows: diagnostics)
  }

  // On a terminal a finding is a line of its own, as compilers print theirs: see the notes.
  static let findingTable = TableLayout<Diagnostic>(
    "findings",
    columns: [
      Column("severity", \.severity),
      Column("code", \.code.rawValue),
      Column("file", \.location.file),
      Column("line", \.location.line),
      Column("column", \.location.column),
      Column("message", \.message),
      Column("remedy", \.remedy),
    ])

  // On a terminal it stands on standard error, as in every command.
  package static let takenColumns = takenTable(isForPeople: false)

  /// The interpretation of the columns of a sheet, a row for each.
  private static func takenTable(isForPeople: Bool) -> TableLayout<TakenColumn> {
    TableLayout(
      "taken_as",
      columns: [
        Column("file", heading: isForPeople ? "file" : nil, \.file),
        Column("column", heading: isForPeople ? "column" : nil, \.column),
        Column("taken_as", heading: isForPeople ? "taken as" : nil, \.takenAs),
        Column("note", heading: isForPeople ? "note" : nil, \.note),
      ])
  }

  /// The interpretation of the columns of a sheet, for people.
  package static func text(of taken: [TakenColumn]) -> String {
    Table(
      takenTable(isForPeople: true).columns.filter { $0.name != "file" }, rows: shown(taken)
    ).text
  }

  /// The longest title of a column that is shown whole.
  private static let longestTitle = 36
  /// The largest number of unused columns that have a row each.
  private static let fewUnused = 5

  /// The rows for people: if many columns of a file are unused, they share the last row.
  ///
  /// - Parameter longest: The longest title that is shown whole; those that share a row have a third of it each, so that
  ///   their number is never cut.
  private static func shown(_ taken: [TakenColumn], longest: Int = .max) -> [TakenColumn] {
    func cut(_ title: String, to longest: Int) -> String {
      title.count > longest ? title.prefix(longest - 3) + "..." : title
    }
    let isUnused = { (column: TakenColumn) in column.takenAs == TakenColumn.notUsed }
    let areJoined = taken.count(where: isUnused) > fewUnused
    let single = taken.filter { !areJoined || !isUnused($0) }.map { column in
      var column = column
      column.column = cut(column.column, to: longest)
      return column
    }
    guard areJoined else { return single }
    var files: [String] = []
    var unused: [String: [TakenColumn]] = [:]
    for column in taken where isUnused(column) {
      if unused[column.file] == nil { files.append(column.file) }
      unused[column.file, default: []].append(column)
    }
    return single
      + files.compactMap { file in
        guard let columns = unused[file], var row = columns.first else { return nil }
        row.column = columns.map { cut($0.column, to: longest / 3) }.shortened(to: 3)
        row.note = "\(columns.count) columns"
        return row
      }
  }

  /// The report of a study folder that was made: of its columns, and of what the study holds.
  package static func made(_ taken: [TakenColumn], notes: [String], provenance: Provenance)
    -> Report
  {
    let layout = takenTable(isForPeople: true)
    var report = Report(
      sections: [Section(layout, rows: taken)], notes: notes, provenance: provenance)
    if let made = notes.first, !taken.isEmpty {
      // What would fill every row, and questions of a form, leave no room for what the columns are.
      let isOneFile = Set(taken.map(\.file)).count == 1
      let columns = layout.columns.filter { !isOneFile || $0.name != "file" }
      report.firstScreen = FirstScreen(
        question: made, answer: [],
        tables: [Table(columns, rows: shown(taken, longest: longestTitle))],
        remarks: Array(notes.dropFirst()))
    }
    return report
  }

  static func verdict(on diagnostics: [Diagnostic]) -> String {
    let errors = diagnostics.count { $0.severity == .error }
    return "errors: \(errors), warnings: \(diagnostics.count - errors)"
  }
}

extension Report {
  /// The report of what is in a study of estimates and what is wrong with it.
  package static func check(_ study: EstimateStudy, provenance: Provenance) -> Report {
    Report(
      introduction: [
        study.title ?? study.name,
        "subjects: \(study.subjects.count); C0 in g/kg, beta60 in g/kg/h, r in kg/kg",
      ],
      sections: [
        Section(estimates, rows: study.subjects),
        findings(study.allDiagnostics),
      ],
      notes: study.allDiagnostics.collapsed.map(\.description) + [
        verdict(on: study.allDiagnostics)
      ],
      provenance: provenance)
  }

  static let estimates = TableLayout<SubjectEstimate>(
    "estimates",
    columns: [Column("subject", heading: "subject", \.subject.id)]
      + Subject.bodyColumns { $0.subject } + [
        Column("ethanol_g", heading: "ethanol g", style: .decimals(1), \.ethanol?.value),
        Column("c0_g_per_kg", heading: "C0", style: .decimals(3), \.c0?.value),
        Column("beta60_g_per_kg_h", heading: "beta60", style: .decimals(3), \.beta60?.value),
        Column(
          "c0_breath_mg_per_l", heading: "breath C0 mg/L", style: .decimals(3), \.c0BreathMgPerL),
        Column("r_observed", heading: "r", style: .decimals(3), \.observedR?.value),
        Column("errors") { $0.diagnostics.count { $0.severity == .error } },
        Column("warnings") { $0.diagnostics.count { $0.severity == .warning } },
      ])
}

/// The overview of a study, gathered a series at a time: readings are counted and forgotten.
package struct StudyOverview: Sendable {
  package private(set) var series: [SeriesOverview] = []
  /// The findings that belong to no single series.
  package var findings: [Diagnostic] = []
  package var inputs: [InputDigest] = []
  /// The interpretation of the columns of a sheet.
  package var taken: [TakenColumn] = []

  private let title: String
  private let instrument: Instrument?
  private let factors: ConversionFactors
  private var subjects: Set<String> = []
  private var drinks = 0
  private var readings = 0
  private var seriesFindings: [Diagnostic] = []
  private var missing = RemarkGroups()
  /// The largest number of series whose times are checked for k_a.
  private static let mostAsked = 500

  /// Starts with the description of a study, before its series are added.
  package init(of stream: borrowing StudyStream, using factors: ConversionFactors) {
    title = stream.title ?? stream.name
    instrument = stream.instrument
    self.factors = factors
  }

  package mutating func add(_ series: Series) {
    self.series.append(SeriesOverview(series, using: factors))
    subjects.insert(series.subject.id)
    drinks += series.drinks.count
    readings += series.readings.count
    seriesFindings += series.diagnostics
    guard self.series.count <= Self.mostAsked,
      let missing = MissingReadings(for: .ka, timesOf: series)
    else { return }
    self.missing.add(missing.sentence("would give"), series.shortLabel.asRemarkLabel)
  }

  /// The series whose reading times hardly determine k_a, and the times that would; nil without
  /// any.
  var advice: String? {
    missing.text(within: 270).map { "The times of readings hardly determine k_a: \($0)." }
  }

  /// All findings, each once: the study's own, then those of each series in order.
  package var allFindings: [Diagnostic] { (findings + seriesFindings).uniqued }

  /// The table of the series for programs, a line of text for each.
  package func lines(as format: ReportFormat) -> String {
    let columns = SeriesOverview.table.columns
    var writer = RowWriter(columns.map(\.header), as: format)
    return String(decoding: writer.all(series.lazy.map(columns.cells)), as: UTF8.self)
  }

  var introduction: [String] {
    [
      title,
      instrument.flatMap(Report.facts).map { "instrument: \($0)" },
      "subjects: \(subjects.count), series: \(series.count), drinks: \(drinks), "
        + "readings: \(readings)",
    ].compactMap { $0 }
  }
}

/// The overview of a series.
package struct SeriesOverview: Sendable {
  private let subject: Subject
  private let occasion: String?
  private let drinks: Int
  private let ethanol: Grams?
  private let readings: Int
  private let excluded: Int
  private let first: Hours?
  private let last: Hours?
  private let highest: GramsPerKilogram?
  private let errors: Int
  private let warnings: Int

  init(_ series: Series, using factors: ConversionFactors) {
    var subject = series.subject
    subject.covariates = [:]
    self.subject = subject
    occasion = series.occasion
    drinks = series.drinks.count
    ethanol = series.ethanol
    readings = series.readings.count
    excluded = series.readings.count(where: \.isExcluded)
    first = series.readings.first?.time
    last = series.readings.last?.time
    highest = series.readings.highest(using: factors)?.blood
    errors = series.diagnostics.count { $0.severity == .error }
    warnings = series.diagnostics.count { $0.severity == .warning }
  }

  static let table = TableLayout<SeriesOverview>(
    "series",
    columns: [
      Column("subject", heading: "subject", \.subject.id), .occasion(\.occasion),
    ] + Subject.bodyColumns { $0.subject } + [
      Column("drinks", heading: "drinks", \.drinks),
      Column("ethanol_g", heading: "ethanol g", style: .decimals(1), \.ethanol?.value),
      Column("readings", heading: "readings", \.readings),
      Column("excluded", \.excluded),
      Column("first_min", heading: "from min", style: .decimals(0), \.first?.minutes),
      Column("last_min", heading: "to min", style: .decimals(0), \.last?.minutes),
      Column("max_g_per_kg", heading: "max g/kg", \.highest?.value),
      Column("errors", \.errors),
      Column("warnings", \.warnings),
    ])
}

extension Series {
  /// All ethanol drunk, if it is known in grams.
  fileprivate var ethanol: Grams? {
    var total: Grams = 0
    for drink in drinks {
      guard let mass = drink.ethanol.mass(forBodyWeight: subject.weight) else { return nil }
      total = total + mass
    }
    return total
  }
}

extension Report {
  package static func drinks(_ drinks: [CatalogueDrink], provenance: Provenance) -> Report {
    Report(sections: [Section(catalogue, rows: drinks)], provenance: provenance)
  }

  static let catalogue = TableLayout<CatalogueDrink>(
    "drinks",
    columns: [
      Column("id", heading: "id", \.id),
      Column("name", heading: "name", \.name),
      Column("type", heading: "type", \.type),
      Column("volumes_ml", heading: "volumes ml") {
        $0.volumes.map { NumberStyle.exact($0.value) }.joined(separator: " ")
      },
      Column("abv_percent", heading: "abv %", style: .significant(3), \.abvPercent),
      Column("ethanol_g", heading: "ethanol g", style: .decimals(1)) { drink in
        drink.volumes.first.flatMap {
          EthanolDose.volume($0, abvPercent: drink.abvPercent).mass(forBodyWeight: nil)?.value
        }
      },
    ])
}

extension DrinkType: ColumnValue {}
