package import Estimation

extension RankedMethods {
  /// Which methods are not ranked, and who is not in the ranking.
  package var remarks: [String] { sentences + (hint.map { [$0] } ?? []) }

  /// The same without names of options.
  var sentences: [String] {
    aside.map { aside in
      guard aside.extent.series > 0 else {
        return "\(aside.method) is not ranked: it can be used for nobody."
      }
      return "\(aside.method) is not ranked: it has \(words(aside.extent))."
    }
      + leftOut.map { leftOut in
        "Not in the ranking, as \(leftOut.method) cannot be used for them: "
          + "\(leftOut.subjects.shortened(to: 10))."
      }
  }

  /// How to rank all of them.
  private var hint: String? {
    let names = methods + aside.filter { $0.extent.series > 0 }.map(\.method)
    guard names.count > methods.count, !methods.isEmpty else { return nil }
    return "To rank them all on the people that they have in common: --r-factor "
      + names.joined(separator: ",") + "."
  }

  /// How much of everything there is: `41 of 65 readings (3 of 4 people)`.
  private func words(_ extent: Extent) -> String {
    let people = "\(extent.people) of \(all.people.counted("person", "people"))"
    if all.readings > 0 {
      return "\(extent.readings) of \(all.readings.counted("reading")) (\(people))"
    }
    return all.series > all.people
      ? "\(extent.series) of \(all.series) occasions (\(people))" : people
  }
}

extension Column {
  /// Whether a method is ranked; shown only where some method is not.
  static func ranked(_ isRanked: @escaping @Sendable (Row) -> Bool) -> [Column<Row>] {
    [
      Column(
        "ranked",
        "whether the method is ranked: on the series that every ranked method has; others have their own"
      ) { isRanked($0) },
      Column(forPeople: "ranked") { isRanked($0) ? String?.none : "no" },
    ]
  }
}
