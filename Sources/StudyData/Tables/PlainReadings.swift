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

  /// So many readings of a subject are few.
  static let few = 256

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
  ///   - fields: What follows the row before.
  ///   - line: The line it begins in.
  ///   - series: The names of the row before.
  /// - Returns: How much was read.
  func read(
    _ fields: inout PlainFields, line: Int, of series: SeriesFinder,
    into readings: inout Timeline<Reading>
  ) -> PlainSpan {
    series.lastSubject.withUnsafeBytes { subject in
      series.lastOccasion.withUnsafeBytes { occasion in
        let names = PlainNames(subject: subject, occasion: occasion)
        var span = PlainSpan()
        guard let hidden = names.continuationBytes(separator: fields.separator) else { return span }
        while let row = readRow(&fields, names) {
          let column = row.timeOffset - span.bytes - hidden + 1
          readings.append(row.reading, at: Place(line: line + span.rows, column: column))
          span.rows += 1
          span.bytes = fields.position
        }
        return span
      }
    }
  }

  /// Whether all rows of a subject are of one series, and begin with the subject's name.
  var beginWithSubject: Bool {
    roles.first == .subject && !roles.contains(.occasion)
  }

  /// Reads all readings of a subject, which must be plain, few, and each later than the one before.
  ///
  /// - Parameter fields: What begins with the first of them.
  /// - Returns: How much has been read; nil if that may not be all, or not right.
  func readAll(
    _ fields: inout PlainFields, of subject: PlainName, into readings: inout [Reading]
  ) -> PlainSpan? {
    let names = PlainNames(subject: subject)
    var span = PlainSpan()
    var last = -Double.infinity
    while let (reading, _) = readRow(&fields, names) {
      guard reading.time.value > last, span.rows < Self.few else { return nil }
      last = reading.time.value
      readings.append(reading)
      span.rows += 1
      span.bytes = fields.position
    }
    guard span.rows > 0, fields.isOther(than: subject, at: span.bytes) else { return nil }
    return span
  }

  @inline(__always)
  private func readRow(
    _ fields: inout PlainFields, _ names: PlainNames
  ) -> (reading: Reading, timeOffset: Int)? {
    guard !fields.isAtEnd else { return nil }
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
  let subject: PlainName
  let occasion: PlainName

  init(subject: PlainName) {
    self.subject = subject
    occasion = PlainName(UnsafeRawBufferPointer(start: nil, count: 0))
  }

  init(subject: UnsafeRawBufferPointer, occasion: UnsafeRawBufferPointer) {
    self.subject = PlainName(subject)
    self.occasion = PlainName(occasion)
  }

  /// How many of their bytes are no characters of their own; nil if a field with them needs quotes.
  /// Both stand before the time, or the table has no plain rows.
  func continuationBytes(separator: UInt8) -> Int? {
    var count = 0
    for byte in [subject.bytes, occasion.bytes].joined() {
      guard byte >= ASCII.space, byte != separator, byte != ASCII.quote else { return nil }
      if byte & 0xC0 == 0x80 { count += 1 }
    }
    return count
  }
}
