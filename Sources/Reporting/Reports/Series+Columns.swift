import AlcoholKinetics
package import Estimation
import StudyData
import Validation

extension Series {
  /// The columns that begin every table with a row per series; with headings unless only programs are shown it.
  static func identityColumns<Row>(
    isForPeople: Bool = true, _ series: @escaping @Sendable (Row) -> Series
  ) -> [Column<Row>] {
    identityColumns(
      isForPeople: isForPeople, subject: { series($0).subject.id }, { series($0).occasion })
  }

  /// The same of rows that have the names themselves, so that no series is copied for them.
  static func identityColumns<Row>(
    isForPeople: Bool = true, subject: @escaping @Sendable (Row) -> String,
    _ occasion: @escaping @Sendable (Row) -> String?
  ) -> [Column<Row>] {
    [
      Column("subject", heading: isForPeople ? "subject" : nil, "subject", subject),
      .occasion(heading: isForPeople ? "occ." : nil, occasion),
    ]
  }
}

/// Columns that several tables have.
extension Column {
  package static func occasion(
    heading: String? = "occ.", _ occasion: @escaping @Sendable (Row) -> String?
  ) -> Column {
    Column("occasion", heading: heading, "occasion, if the study distinguishes occasions", occasion)
  }

  package static func reason(_ reason: @escaping @Sendable (Row) -> String?) -> Column {
    Column("reason", "why there is no result: a code, then an explanation", reason)
  }

  static func rFactor(
    heading: String? = "r factor", _ rFactor: @escaping @Sendable (Row) -> String
  ) -> Column {
    Column("r_factor", heading: heading, "source of r: a method, a number or `estimated`", rFactor)
  }

  /// The columns of what predicts; programs of before read the first of them.
  static func method(_ method: @escaping @Sendable (Row) -> String) -> [Column] {
    [
      Column("r_factor", "the same as `method`, under its former name", method),
      Column(
        "method", heading: "method",
        "what predicts: an r-factor method, a number for r, a column of r, or the name of a given model",
        method),
    ]
  }

  /// A number and its interval over people, in three columns.
  ///
  /// - Parameter showsEnds: Whether people are shown the ends in columns, if they are shown the number.
  static func estimate(
    _ name: String, in unit: String, heading: String? = nil, style: NumberStyle = .significant(3),
    showsEnds: Bool = true, _ meaning: String, over people: String = "subjects",
    _ value: @escaping @Sendable (Row) -> EstimatedValue?
  ) -> [Column] {
    let shown = showsEnds && heading != nil
    return [
      Column(name, in: unit, heading: heading, style: style, meaning) { value($0)?.value },
      Column(
        "\(name)_low", in: unit, heading: shown ? "low" : nil, style: style,
        "lower end of its interval over \(people)"
      ) { value($0)?.interval?.low },
      Column(
        "\(name)_high", in: unit, heading: shown ? "high" : nil, style: style,
        "upper end of its interval over \(people)"
      ) { value($0)?.interval?.high },
    ]
  }

  static func warnings(_ codes: @escaping @Sendable (Row) -> [String]?) -> Column {
    Column("warnings", "warning codes, separated by semicolons") { Codes(codes($0)) }
  }

  /// How far a fit can be used.
  static func status(_ status: @escaping @Sendable (Row) -> FitStatus) -> Column {
    Column(
      "status", oneOf: FitStatus.allCases.map(\.rawValue), heading: "status",
      "how far the fit can be used"
    ) { status($0).rawValue }
  }
}

extension ReadingUse {
  /// How many readings were treated in each way that leaves them out.
  static func columns<Row>(
    _ count: @escaping @Sendable (Row, ReadingUse) -> Int?
  ) -> [Column<Row>] {
    [
      Column("excluded_by_study", "readings excluded by the study") { count($0, .excludedByStudy) },
      Column("mouth_alcohol", "readings left out because they came too soon after a drink") {
        count($0, .mouthAlcohol)
      },
      Column(
        "before_drinking",
        "readings left out because they are not after the first drink (and the lag, if fixed)"
      ) { count($0, .beforeDrinking) },
      Column("below_detection", "readings left out because they are below detection") {
        count($0, .belowDetection)
      },
      Column("repeated_zeros", "further zeros after the first, left out") {
        count($0, .repeatedZero)
      },
    ]
  }
}

extension Sex {
  /// Whose rows are summed up: men, women or all; the terminal shows men and women only.
  static func groupColumns<Row>(
    _ meaning: String = "whose errors are summarised", _ sex: @escaping @Sendable (Row) -> Sex?
  ) -> [Column<Row>] {
    [
      Column("sex", oneOf: groups, meaning) { sex($0)?.rawValue ?? "all" },
      Column(forPeople: "sex") { sex($0) },
    ]
  }

  static let groups = ["all"] + allCases.map(\.rawValue)
}

extension Subject {
  static func bodyColumns<Row>(
    _ subject: @escaping @Sendable (Row) -> Subject
  ) -> [Column<Row>] {
    [
      Column("sex", heading: "sex", "sex") { subject($0).sex },
      Column("age_y", heading: "age", style: .decimals(0), "age") { subject($0).age?.value },
      Column("height_cm", heading: "cm", style: .decimals(0), "height") {
        subject($0).height?.centimetres
      },
      Column("weight_kg", heading: "kg", style: .decimals(1), "body weight") {
        subject($0).weight?.value
      },
    ]
  }
}

extension SeriesFailure {
  /// Code and description, as the `reason` column and the notes carry them.
  package var reason: String { "\(code): \(description)" }
}

extension Result where Failure == SeriesFailure {
  var value: Success? { try? get() }

  package var reason: String? {
    guard case .failure(let failure) = self else { return nil }
    return failure.reason
  }
}
