import AlcoholKinetics
import Estimation
import StudyData

extension Series {
  /// The columns that begin every table with a row per series.
  static func identityColumns<Row>(
    _ series: @escaping @Sendable (Row) -> Series
  ) -> [Column<Row>] {
    [
      Column("subject", heading: "subject") { .text(series($0).subject.id) },
      Column("occasion", heading: "occ.") { .words(series($0).occasion) },
    ]
  }
}

extension Subject {
  /// The columns with the body measures of a subject.
  static func bodyColumns<Row>(
    _ subject: @escaping @Sendable (Row) -> Subject
  ) -> [Column<Row>] {
    [
      Column("sex", heading: "sex") { .words(subject($0).sex?.rawValue) },
      Column("age_y", heading: "age", style: .decimals(0)) { .number(subject($0).age?.value) },
      Column("height_cm", heading: "cm", style: .decimals(0)) {
        .number(subject($0).height?.centimetres)
      },
      Column("weight_kg", heading: "kg", style: .decimals(1)) {
        .number(subject($0).weight?.value)
      },
    ]
  }
}

extension SeriesFailure {
  /// Code and description, as the `reason` column and the notes carry them.
  var reason: String { "\(code): \(description)" }
}

extension Result where Failure == SeriesFailure {
  var value: Success? { try? get() }

  var reason: String? {
    guard case .failure(let failure) = self else { return nil }
    return failure.reason
  }
}
