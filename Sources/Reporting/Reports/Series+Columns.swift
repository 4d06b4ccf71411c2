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

  /// Identity columns of rows that hold the names themselves, so that no series is copied for them.
  static func identityColumns<Row>(
    isForPeople: Bool = true, subject: @escaping @Sendable (Row) -> String,
    _ occasion: @escaping @Sendable (Row) -> String?
  ) -> [Column<Row>] {
    [
      Column("subject", heading: isForPeople ? "subject" : nil, subject),
      .occasion(heading: isForPeople ? "occ." : nil, occasion),
    ]
  }
}

/// Columns that several tables have.
extension Column {
  package static func occasion(
    heading: String? = "occ.", _ occasion: @escaping @Sendable (Row) -> String?
  ) -> Column {
    Column("occasion", heading: heading, occasion)
  }

  package static func reason(_ reason: @escaping @Sendable (Row) -> String?) -> Column {
    Column("reason", reason)
  }

  static func rFactor(
    heading: String? = "r factor", _ rFactor: @escaping @Sendable (Row) -> String
  ) -> Column {
    Column("r_factor", heading: heading, rFactor)
  }

  /// The columns of the predicting method; the first is kept for programs of older versions.
  static func method(_ method: @escaping @Sendable (Row) -> String) -> [Column] {
    [
      Column("r_factor", method),
      Column("method", heading: "method", method),
    ]
  }

  /// A number and its interval over people, in three columns.
  ///
  /// - Parameter showsEnds: Whether people are shown the ends in columns, if they are shown the number.
  static func estimate(
    _ name: String, heading: String? = nil, style: NumberStyle = .significant(3),
    showsEnds: Bool = true, _ value: @escaping @Sendable (Row) -> EstimatedValue?
  ) -> [Column] {
    let shown = showsEnds && heading != nil
    return [
      Column(name, heading: heading, style: style) { value($0)?.value },
      Column("\(name)_low", heading: shown ? "low" : nil, style: style) {
        value($0)?.interval?.low
      },
      Column("\(name)_high", heading: shown ? "high" : nil, style: style) {
        value($0)?.interval?.high
      },
    ]
  }

  static func warnings(_ codes: @escaping @Sendable (Row) -> [String]?) -> Column {
    Column("warnings") { Codes(codes($0)) }
  }

  /// The usability of a fit.
  static func status(_ status: @escaping @Sendable (Row) -> FitStatus) -> Column {
    Column("status", heading: "status", status)
  }
}

extension ReadingUse {
  /// The numbers of readings left out, a column for each reason.
  static func columns<Row>(
    _ count: @escaping @Sendable (Row, ReadingUse) -> Int?
  ) -> [Column<Row>] {
    [
      Column("excluded_by_study") { count($0, .excludedByStudy) },
      Column("mouth_alcohol") { count($0, .mouthAlcohol) },
      Column("before_drinking") { count($0, .beforeDrinking) },
      Column("below_detection") { count($0, .belowDetection) },
      Column("repeated_zeros") { count($0, .repeatedZero) },
    ]
  }
}

extension Sex {
  /// The group that rows sum up: men, women or all; the terminal shows men and women only.
  static func groupColumns<Row>(
    _ sex: @escaping @Sendable (Row) -> Sex?
  ) -> [Column<Row>] {
    [
      Column("sex", oneOf: groups) { sex($0)?.rawValue ?? "all" },
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
      Column("sex", heading: "sex") { subject($0).sex },
      Column("age_y", heading: "age", style: .decimals(0)) { subject($0).age?.value },
      Column("height_cm", heading: "cm", style: .decimals(0)) { subject($0).height?.centimetres },
      Column("weight_kg", heading: "kg", style: .decimals(1)) { subject($0).weight?.value },
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
