import AlcoholKinetics
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
