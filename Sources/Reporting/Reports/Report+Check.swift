import AlcoholKinetics
public import StudyData

extension Report {
  /// The report of what is in a study and what is wrong with it.
  public static func check(_ study: Study, provenance: Provenance) -> Report {
    Report(
      introduction: introduction(to: study),
      sections: [
        Section(
          name: "series", table: Table(seriesColumns(provenance.factors), rows: study.series)),
        findings(study.allDiagnostics),
      ],
      notes: study.allDiagnostics.map(\.description) + [verdict(on: study.allDiagnostics)],
      provenance: provenance)
  }

  /// The report of a study that could not be read.
  public static func check(_ error: StudyError, provenance: Provenance) -> Report {
    Report(
      sections: [findings(error.diagnostics)],
      notes: error.diagnostics.map(\.description) + [verdict(on: error.diagnostics)],
      provenance: provenance)
  }

  private static func introduction(to study: Study) -> [String] {
    let subjects = Set(study.series.map(\.subject.id)).count
    let readings = study.series.map(\.readings.count).reduce(0, +)
    let drinks = study.series.map(\.drinks.count).reduce(0, +)
    return [
      study.title ?? study.name,
      study.instrument.flatMap(facts).map { "instrument: \($0)" },
      "subjects: \(subjects), series: \(study.series.count), drinks: \(drinks), "
        + "readings: \(readings)",
    ].compactMap { $0 }
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
        "mouth alcohol for \(NumberStyle.decimals(0).format($0.minutes)) min after a drink"
      },
    ].compactMap { $0 }
    return facts.isEmpty ? nil : facts.joined(separator: ", ")
  }

  private static func seriesColumns(_ factors: ConversionFactors) -> [Column<Series>] {
    Series.identityColumns { $0 } + Subject.bodyColumns { $0.subject } + [
      Column("drinks", heading: "drinks") { .integer($0.drinks.count) },
      Column("ethanol_g", heading: "ethanol g", style: .decimals(1)) { .number($0.ethanol?.value) },
      Column("readings", heading: "readings") { .integer($0.readings.count) },
      Column("excluded") { .integer($0.readings.count(where: \.isExcluded)) },
      Column("first_min", heading: "from min", style: .decimals(0)) {
        .number($0.readings.first?.time.minutes)
      },
      Column("last_min", heading: "to min", style: .decimals(0)) {
        .number($0.readings.last?.time.minutes)
      },
      Column("max_g_per_kg", heading: "max g/kg") { series in
        .number(
          series.readings.filter { !$0.isExcluded }
            .map { $0.bloodConcentration(using: factors).value }.max())
      },
      Column("errors") { .integer($0.diagnostics.count { $0.severity == .error }) },
      Column("warnings") { .integer($0.diagnostics.count { $0.severity == .warning }) },
    ]
  }

  static func findings(_ diagnostics: [Diagnostic]) -> Section {
    // On a terminal a finding is a line of its own, as compilers print theirs: see the notes.
    let columns: [Column<Diagnostic>] = [
      Column("severity") { .text($0.severity.rawValue) },
      Column("code") { .text($0.code.rawValue) },
      Column("file") { .text($0.location.file) },
      Column("line") { .count($0.location.line) },
      Column("column") { .count($0.location.column) },
      Column("message") { .text($0.message) },
      Column("remedy") { .text($0.remedy) },
    ]
    return Section(name: "findings", table: Table(columns, rows: diagnostics))
  }

  static func verdict(on diagnostics: [Diagnostic]) -> String {
    let errors = diagnostics.count { $0.severity == .error }
    return "errors: \(errors), warnings: \(diagnostics.count - errors)"
  }
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
