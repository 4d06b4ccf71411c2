import AlcoholKinetics

/// Reads the rows of `readings.csv` that are as most rows are, fast.
///
/// A row is plain if
/// - it is whole, in the bytes at hand, and ends in LF or CR LF;
/// - it has the bytes of the row before for its subject and its occasion;
/// - time and concentration are digits with at most one point, nothing around them, 15 digits at
///   most, and in the range where nothing is to be said about them;
/// - limit of detection, if there is such a column, is such a number or empty, exclusion 0, 1 or
///   empty.
///
/// Any other row is left to ``ReadingRows``, which would read plain rows in the same way. Tables with
/// columns that nothing reads have no plain rows. Nothing is allocated, no row is looked at twice.
struct PlainReadings {
  private enum Role {
    case subject
    case occasion
    case time
    case value
    case limit
    case exclusion
  }

  private let roles: [Role]
  private let unit: ConcentrationUnit
  /// The largest concentration that nothing is said about.
  private let largest: Double

  /// Understands a table's columns; nil if it has others.
  init?(header: Header, value: Column, unit: ConcentrationUnit) {
    var roles: [Role] = []
    for column in header.columns {
      switch column.key {
      case "subject": roles.append(.subject)
      case "occasion": roles.append(.occasion)
      case "time_min": roles.append(.time)
      case "lod": roles.append(.limit)
      case "exclude": roles.append(.exclusion)
      case value.key: roles.append(.value)
      default: return nil
      }
    }
    // Names behind the time would not count for its column.
    let names = roles.prefix { $0 != .time }.count { $0 == .subject || $0 == .occasion }
    guard names == roles.count(where: { $0 == .subject || $0 == .occasion }) else { return nil }
    self.roles = roles
    self.unit = unit
    // A little less: what is near the limit is looked at by the one who knows it.
    largest =
      0.999 * ConcentrationUnit.implausibleConcentration.value
      / unit.gramsPerKilogram(using: ConversionFactors())
  }

  /// Reads plain rows of the series of the row before, up to one that is not.
  ///
  /// - Parameters:
  ///   - text: What follows the row before.
  ///   - line: The line it begins in.
  ///   - series: The names of the row before.
  /// - Returns: How many bytes and rows were read.
  func read(
    _ text: UnsafeRawBufferPointer, separator: UInt8, line: Int, of series: SeriesFinder,
    into readings: inout Timeline<Reading>
  ) -> (bytes: Int, rows: Int) {
    guard let names = PlainNames(of: series, separator: separator) else { return (0, 0) }
    var fields = PlainFields(text, separator: separator)
    var (bytes, rows) = (0, 0)
    while let row = readRow(&fields, names) {
      let column = row.timeOffset - bytes - names.continuationBytes + 1
      readings.append(row.reading, at: Place(line: line + rows, column: column))
      rows += 1
      bytes = fields.position
    }
    return (bytes, rows)
  }

  @inline(__always)
  private func readRow(
    _ fields: inout PlainFields, _ names: PlainNames
  ) -> (reading: Reading, timeOffset: Int)? {
    var (time, value, limit, isExcluded, timeOffset) = (0.0, 0.0, Double?.none, false, 0)
    for index in 0..<roles.count {
      if index > 0 { guard fields.skipSeparator() else { return nil } }
      switch roles[index] {
      case .subject:
        guard fields.skip(names.subject) else { return nil }
      case .occasion:
        guard fields.skip(names.occasion) else { return nil }
      case .time:
        timeOffset = fields.position
        guard let number = fields.number(), number <= TimeColumns.limitInMinutes else {
          return nil
        }
        time = number
      case .value:
        guard let number = fields.number(), number <= largest else { return nil }
        value = number
      case .limit:
        if fields.isAtEndOfField { continue }
        guard let number = fields.number() else { return nil }
        limit = number
      case .exclusion:
        if fields.isAtEndOfField { continue }
        guard let digit = fields.bit() else { return nil }
        isExcluded = digit
      }
    }
    guard fields.skipLineEnd() else { return nil }
    let reading = Reading(
      time: Hours(minutes: time), value: value, unit: unit, limitOfDetection: limit,
      isExcluded: isExcluded)
    return (reading, timeOffset)
  }
}

/// The names of a series as plain rows have them.
private struct PlainNames {
  let subject: [UInt8]
  let occasion: [UInt8]
  /// How many of their bytes are no characters of their own. Both stand before the time, or the
  /// table has no plain rows.
  let continuationBytes: Int

  /// Nil if a field with them needs quotes.
  init?(of series: SeriesFinder, separator: UInt8) {
    subject = series.lastSubject
    occasion = series.lastOccasion
    var continuationBytes = 0
    for byte in [subject, occasion].joined() {
      guard byte >= ASCII.space, byte != separator, byte != ASCII.quote else { return nil }
      if byte & 0xC0 == 0x80 { continuationBytes += 1 }
    }
    self.continuationBytes = continuationBytes
  }
}
