import AlcoholKinetics
public import StudyData
public import StudyFiles

extension Diagnostic {
  /// The finding for users of the command, who state things about columns by an option.
  public var withOptions: Diagnostic { spellingOut("--map") }
}

extension Report {
  /// The report of what is in a study and what is wrong with it.
  public static func check(_ study: Study, provenance: Provenance) -> Report {
    var overview = StudyOverview(of: StudyStream(study), using: provenance.factors)
    for series in study.series { overview.add(series) }
    overview.findings = study.diagnostics
    return check(overview, provenance: provenance)
  }

  /// The same of a study whose series have been gone through one by one.
  public static func check(_ study: StudyOverview, provenance: Provenance) -> Report {
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
    let found = error.diagnostics.map(\.withOptions)
    return Report(
      sections: [findings(found)], notes: found.collapsed.map(\.description) + [verdict(on: found)],
      provenance: provenance)
  }

  /// What is known of an instrument, on a line; nil if nothing is.
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
    "findings", "A row per finding. If the study cannot be read, CSV holds this table.",
    columns: [
      Column("severity", "error or warning", \.severity),
      Column("code", "stable code", \.code.rawValue),
      Column("file", "the file", \.location.file),
      Column("line", "the line, from 1", \.location.line),
      Column("column", "the position in the line, from 1", \.location.column),
      Column("message", "what was found", \.message),
      Column("remedy", "what to do", \.remedy),
    ])

  // On a terminal it stands on standard error, as in every command.
  package static let takenColumns = takenTable(isForPeople: false)

  /// What the columns of a sheet were taken as, a row for each.
  private static func takenTable(isForPeople: Bool) -> TableLayout<TakenColumn> {
    TableLayout(
      "taken_as",
      "A row per column of a table with headers of its own, as the columns were understood; empty for a study "
        + "whose tables have the usual names.",
      columns: [
        Column("file", heading: isForPeople ? "file" : nil, "the file", \.file),
        Column("column", heading: isForPeople ? "column" : nil, "the header", \.column),
        Column(
          "taken_as", heading: isForPeople ? "taken as" : nil,
          "the meaning, as `--map` names it; `not used` for a column that nothing reads", \.takenAs),
        Column("note", heading: isForPeople ? "note" : nil, "why, and what was converted", \.note),
      ])
  }

  /// What the columns of a sheet were taken as, for people.
  public static func text(of taken: [TakenColumn]) -> String {
    Table(
      takenTable(isForPeople: true).columns.filter { $0.name != "file" }, rows: shown(taken)
    ).text
  }

  /// So many columns that nothing reads have a row each.
  private static let fewUnused = 5

  /// What people are shown: many columns of a file that nothing reads in one row, below the others.
  private static func shown(_ taken: [TakenColumn]) -> [TakenColumn] {
    let isUnused = { (column: TakenColumn) in column.takenAs == TakenColumn.notUsed }
    guard taken.count(where: isUnused) > fewUnused else { return taken }
    var (files, unused): ([String], [String: [TakenColumn]]) = ([], [:])
    for column in taken where isUnused(column) {
      if unused[column.file] == nil { files.append(column.file) }
      unused[column.file, default: []].append(column)
    }
    return taken.filter { !isUnused($0) }
      + files.compactMap { file in
        guard let columns = unused[file], var row = columns.first else { return nil }
        row.column = columns.map(\.column).shortened(to: 3)
        row.note = "\(columns.count) columns"
        return row
      }
  }

  /// The report of a study folder that was made: of its columns, and of what the study holds.
  public static func made(_ taken: [TakenColumn], notes: [String], provenance: Provenance) -> Report
  {
    let layout = takenTable(isForPeople: true)
    var report = Report(
      sections: [Section(layout, rows: taken)], notes: notes, provenance: provenance)
    if let made = notes.first, !taken.isEmpty {
      report.firstScreen = FirstScreen(
        question: made, answer: [], tables: [Table(layout.columns, rows: shown(taken))],
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
  public static func check(_ study: EstimateStudy, provenance: Provenance) -> Report {
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
    "estimates", "For a study of estimates: a row per subject.",
    columns: [Column("subject", heading: "subject", "subject", \.subject.id)]
      + Subject.bodyColumns { $0.subject } + [
        Column(
          "ethanol_g", heading: "ethanol g", style: .decimals(1), "total ethanol drunk",
          \.ethanol?.value),
        Column(
          "c0_g_per_kg", heading: "C0", style: .decimals(3),
          "C0, the elimination line extended back to the start of drinking", \.c0?.value),
        Column(
          "beta60_g_per_kg_h", heading: "beta60", style: .decimals(3), "elimination rate in blood",
          \.beta60?.value),
        Column(
          "c0_breath_mg_per_l", heading: "breath C0 mg/L", style: .decimals(3), "C0 of breath",
          \.c0BreathMgPerL),
        Column(
          "r_observed", in: "kg/kg", heading: "r", style: .decimals(3),
          "ethanol / (C0 x weight), or as stated", \.observedR?.value),
        Column("errors", "errors in the data of the subject") {
          $0.diagnostics.count { $0.severity == .error }
        },
        Column("warnings", "warnings about the data of the subject") {
          $0.diagnostics.count { $0.severity == .warning }
        },
      ])
}
