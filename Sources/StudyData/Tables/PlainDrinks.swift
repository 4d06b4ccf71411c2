import AlcoholKinetics

/// Reads the rows of `drinks.csv` that are as most rows are, fast.
///
/// The rows of a subject are plain if
/// - they are in the bytes at hand, with the name of the subject who follows;
/// - they begin with the subject's name, and the table does not tell occasions apart;
/// - the dose is given in one way, for which alone there are columns; the duration may be empty;
/// - their numbers are such as ``PlainReadings`` has, and in the range where nothing is to be said
///   about them;
/// - each drink is later than the one before.
///
/// ``DrinkRows`` would read them in the same way.
struct PlainDrinks {
  private enum Role {
    case subject
    case time
    case duration
    case amount
    case strength
  }

  /// What the amount is.
  private enum Way {
    case mass
    case volume
    case perKilogram
  }

  private let roles: [Role]
  private let way: Way

  /// Understands a table's columns; nil if it has others.
  init?(header: Header) {
    var roles: [Role] = []
    var ways: [Way] = []
    for column in header.columns {
      switch column.key {
      case "subject" where roles.isEmpty: roles.append(.subject)
      case "time_min": roles.append(.time)
      case "duration_min": roles.append(.duration)
      case "abv_percent": roles.append(.strength)
      default:
        guard let way = Self.way(column.key) else { return nil }
        roles.append(.amount)
        ways.append(way)
      }
    }
    let hasStrength = roles.contains(.strength)
    guard ways.count == 1, roles.first == .subject, (ways[0] == .volume) == hasStrength else {
      return nil
    }
    self.roles = roles
    way = ways[0]
  }

  private static func way(_ column: String) -> Way? {
    switch column {
    case "ethanol_g": .mass
    case "volume_ml": .volume
    case "ethanol_g_per_kg": .perKilogram
    default: nil
    }
  }

  /// Reads all drinks of a subject.
  ///
  /// - Parameter fields: What begins with the first of them.
  /// - Returns: How much has been read; nil if the rows are not plain.
  func readAll(
    _ fields: inout PlainFields, of subject: PlainName, into drinks: inout [Drink]
  ) -> PlainSpan? {
    var span = PlainSpan()
    var last = -Double.infinity
    while let drink = readRow(&fields, subject) {
      guard drink.time.value > last else { return nil }
      last = drink.time.value
      drinks.append(drink)
      span.rows += 1
      span.bytes = fields.position
    }
    guard span.rows > 0, fields.isOther(than: subject, at: span.bytes) else { return nil }
    return span
  }

  @inline(__always)
  private func readRow(_ fields: inout PlainFields, _ subject: PlainName) -> Drink? {
    guard !fields.isAtEnd else { return nil }
    var (time, duration, amount, strength) = (0.0, 0.0, 0.0, 0.0)
    for index in 0..<roles.count {
      if index > 0 { guard fields.skipSeparator() else { return nil } }
      switch roles[index] {
      case .subject:
        guard fields.skip(subject) else { return nil }
      case .time:
        guard let number = fields.number(), number <= TimeColumns.limitInMinutes else {
          return nil
        }
        time = number
      case .duration:
        if fields.isAtEndOfField { continue }
        guard let number = fields.number(), number <= TimeColumns.limitInMinutes else {
          return nil
        }
        duration = number
      case .amount:
        guard let number = fields.number() else { return nil }
        amount = number
      case .strength:
        guard let number = fields.number(), number <= 100 else { return nil }
        strength = number
      }
    }
    guard fields.skipLineEnd(), let dose = dose(amount, strength) else { return nil }
    return Drink(time: Hours(minutes: time), duration: Hours(minutes: duration), ethanol: dose)
  }

  @inline(__always)
  private func dose(_ amount: Double, _ strength: Double) -> EthanolDose? {
    switch way {
    case .mass:
      return amount <= DoseColumns.limitInGrams ? .mass(Grams(amount)) : nil
    case .perKilogram:
      guard amount <= DoseColumns.limitInGramsPerKilogram else { return nil }
      return .perBodyWeight(GramsPerKilogram(amount))
    case .volume:
      let dose = EthanolDose.volume(Millilitres(amount), abvPercent: strength)
      guard let grams = dose.mass(forBodyWeight: nil)?.value, grams <= DoseColumns.limitInGrams,
        !DoseColumns.looksLikeLitres(amount),
        !DoseColumns.looksLikeFraction(strength, grams: grams)
      else { return nil }
      return dose
    }
  }
}
