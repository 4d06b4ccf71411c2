import AlcoholKinetics

/// What a field with a concentration says.
enum MeasuredCell: Equatable {
  /// A concentration.
  case at(Double)
  /// That it was below a limit of detection, as `<0.05`.
  case below(Double)

  /// The concentration, or what it was below.
  var number: Double {
    switch self {
    case .at(let value): value
    case .below(let limit): limit
    }
  }

  /// Whether a row's own limit of detection, if it has one, is what the reading is said to be below;
  /// reported if not.
  func agrees(
    with limit: Double?, in column: Column?, of row: CSVRow, log: inout FindingLog
  ) -> Bool {
    guard case .below(let number) = self, let limit, let column, limit != number else {
      return true
    }
    row.note(
      .detectionConflict, in: column, "but the reading is written as below \(number)",
      remedy: "keep one of the two limits of detection", log: &log)
    return false
  }
}

extension CSVRow {
  /// Reads a concentration; nil, reported, if the field holds none.
  func measured(in column: Column, log: inout FindingLog) -> MeasuredCell? {
    let content = content(of: column.index).withoutNoBreakSpacesAround
    let remedy =
      "write a plain number such as 0.45, or <0.05 if it is below 0.05; empty rows are skipped"
    guard content.first == ASCII.lessThan else {
      return number(content, in: column, remedy: remedy, log: &log).map(MeasuredCell.at)
    }
    let rest = UnsafeRawBufferPointer(rebasing: content.dropFirst().drop(while: ASCII.isBlank))
    guard let limit = number(rest, in: column, remedy: remedy, log: &log) else { return nil }
    if limit > 0 { return .below(limit) }
    note(
      .detectionLimit, in: column, "but a limit of detection must be above 0",
      remedy: "write the limit of detection after the <", log: &log)
    return nil
  }
}

extension Reading {
  /// A reading of what a field says; one that is below a limit of detection shows nothing.
  init(
    time: Hours, _ measured: MeasuredCell, unit: ConcentrationUnit, limitOfDetection: Double?,
    isExcluded: Bool
  ) {
    switch measured {
    case .at(let value):
      self.init(
        time: time, value: value, unit: unit, limitOfDetection: limitOfDetection,
        isExcluded: isExcluded)
    case .below(let limit):
      self.init(
        time: time, value: 0, unit: unit, limitOfDetection: limit, isExcluded: isExcluded)
    }
  }
}
