import AlcoholKinetics

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
