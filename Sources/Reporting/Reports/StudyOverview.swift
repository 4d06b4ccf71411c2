public import AlcoholKinetics
public import StudyData
public import StudyFiles
import Validation

/// What there is to say of a study at first sight, gathered a series at a time: readings are counted
/// and forgotten.
public struct StudyOverview: Sendable {
  public private(set) var series: [SeriesOverview] = []
  /// What was found that belongs to no single series.
  public var findings: [Diagnostic] = []
  public var inputs: [InputDigest] = []
  /// What the columns of a sheet were taken as.
  public var taken: [TakenColumn] = []

  private let title: String
  private let instrument: Instrument?
  private let factors: ConversionFactors
  private var subjects: Set<String> = []
  private var drinks = 0
  private var readings = 0
  private var seriesFindings: [Diagnostic] = []
  private var missing = RemarkGroups()
  /// So many series are asked whether their times can tell k_a.
  private static let mostAsked = 500

  /// Begins with a study whose series come.
  public init(of stream: borrowing StudyStream, using factors: ConversionFactors) {
    title = stream.title ?? stream.name
    instrument = stream.instrument
    self.factors = factors
  }

  public mutating func add(_ series: Series) {
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

  /// What the times of readings cannot tell, and which would; nil where they can.
  var advice: String? {
    missing.text(within: 270).map { "The times of readings hardly determine k_a: \($0)." }
  }

  /// All findings, each once: the study's own, then those of each series in order.
  public var allFindings: [Diagnostic] { (findings + seriesFindings).uniqued }

  /// The table of the series for programs, a line of text for each.
  public func lines(as format: ReportFormat) -> String {
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

/// What there is to say of a series at first sight.
public struct SeriesOverview: Sendable {
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
    "series", "A row per series.",
    columns: [
      Column("subject", heading: "subject", "subject", \.subject.id), .occasion(\.occasion),
    ] + Subject.bodyColumns { $0.subject } + [
      Column("drinks", heading: "drinks", "number of drinks", \.drinks),
      Column(
        "ethanol_g", heading: "ethanol g", style: .decimals(1), "total ethanol drunk",
        \.ethanol?.value),
      Column("readings", heading: "readings", "number of readings", \.readings),
      Column("excluded", "readings that the study excludes", \.excluded),
      Column(
        "first_min", heading: "from min", style: .decimals(0), "time of the first reading",
        \.first?.minutes),
      Column(
        "last_min", heading: "to min", style: .decimals(0), "time of the last reading",
        \.last?.minutes),
      Column(
        "max_g_per_kg", heading: "max g/kg", "highest reading, as blood concentration",
        \.highest?.value),
      Column("errors", "errors in the data of the series", \.errors),
      Column("warnings", "warnings about the data of the series", \.warnings),
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
