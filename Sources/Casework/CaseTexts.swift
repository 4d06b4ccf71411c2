package import AlcoholKinetics
import Foundation
import StudyData
import StudyFiles

/// A text of a case with its location: an option, or a file with line and column.
package struct CaseText: Sendable {
  package let text: String
  package let place: String

  package init(_ text: String, at place: String) {
    self.text = text
    self.place = place
  }

  /// Parses a number or distribution.
  ///
  /// - Parameter hint: Further forms that the message lists.
  /// - Throws: ``Problem`` for any other text.
  fileprivate func uncertainty(_ hint: String = "") throws(Problem) -> Uncertainty {
    guard let value = Uncertainty(parsing: text) else {
      throw .input(
        "\(place): \(text.quoted) describes no positive quantity; write a number, normal:MEAN,SD, "
          + "lognormal:MEDIAN,CV% without the sign, uniform:LOW,HIGH or range:LOW,LIKELIEST,HIGH"
          + hint)
    }
    return value
  }
}

// MARK: - Times and units

extension CaseClock {
  /// Makes a clock whose hour 0 is the midnight of a date, or of the first date among times; without either it has no date.
  ///
  /// - Throws: ``Problem`` with the place of the zone or date.
  package init(
    date: CaseText?, timeZone: CaseText?, times: [CaseText?], drinks: [StatedDrink]
  ) throws(Problem) {
    let all = times + drinks.flatMap { [$0.time, $0.until] }
    do {
      try self.init(date: date?.text, timeZone: timeZone?.text, times: all.compactMap { $0?.text })
    } catch {
      throw .input((timeZone ?? date).map { "\($0.place): \(error)" } ?? "\(error)")
    }
  }

  /// The hours from this clock's midnight to a time.
  ///
  /// - Throws: ``Problem`` with the place of the time.
  package func hours(_ time: CaseText) throws(Problem) -> Hours {
    do {
      return try hours(time.text)
    } catch {
      throw .input("\(time.place): \(error)")
    }
  }
}

extension Case {
  /// Takes the unit of answers and limits; nil for that of the measurement, or else g/kg.
  package mutating func setUnit(_ stated: ConcentrationUnit?) throws(Problem) {
    try require(
      limits.isEmpty || stated != nil || measurement != nil,
      .missing(
        "the unit of the limits is not given; state that of the answer with --answer-unit, or as answer_unit in a "
          + "file: \(ConcentrationUnit.names)"))
    unit = stated ?? measurement?.unit ?? .bloodGramsPerKilogram
  }
}

extension ConcentrationUnit {
  package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

// MARK: - Assumptions

extension CaseAssumptions {
  /// Takes assumptions that are stated as texts, after all others.
  ///
  /// - Parameters:
  ///   - rFactor: A method, or r itself in ``rUnit``; nil for Watson's method.
  ///   - bloodWater: The water content of blood, for methods.
  ///   - beta: Elimination rate in g/kg/h, unless `betaUnit` says otherwise, or a unit stands behind it.
  ///   - betaUnit: The unit of `beta`, per hour.
  ///   - ka: Absorption rate constant in 1/h.
  ///   - lagMinutes: Lag before absorption in min.
  ///   - absorbed: The fraction of the ethanol drunk that reaches the blood.
  /// - Throws: ``Problem`` for a text that cannot be used, and for assumptions that contradict each
  ///   other.
  package mutating func state(
    rFactor: CaseText? = nil, bloodWater: BloodWater = .perKilogram, beta: CaseText? = nil,
    betaUnit: ConcentrationUnit? = nil, ka: CaseText? = nil, lagMinutes: CaseText? = nil,
    absorbed: CaseText? = nil
  ) throws(Problem) {
    if let beta, betaPopulation != .unknown {
      throw .input(
        "\(beta.place): beta is stated, and \(betaPopulation.rawValue) as the population it is taken from; "
          + "leave one of them out")
    }
    if let guideline {
      try require(
        absorbedAfter == CaseAssumptions().absorbedAfter,
        "the guideline \(guideline.rawValue) says when absorption has finished; leave out that time"
      )
      absorbedAfter = guideline.absorbedAfter
    }
    if let beta {
      let (number, unit) = try beta.rate(in: betaUnit)
      self.betaUnit = unit
      self.beta = try number.uncertainty("; in g/kg/h, or with its unit behind it, as 0.186g/L/h")
        .scaled(by: (unit ?? .bloodGramsPerKilogram).gramsPerKilogram(using: factors))
    } else if betaUnit != nil {
      throw .input("the unit of beta is stated, but beta is not")
    }
    absorbedFraction = try absorbed?.uncertainty("; for nine tenths write 0.9")
    self.ka = try ka?.uncertainty()
    lag = try lagMinutes?.uncertainty().scaled(by: 1 / 60.0)
    guard let rFactor else {
      try require(rUnit == nil, "the unit of r is stated, but r is not given as a number")
      self.rFactor = Watson(bloodWater: bloodWater)
      return
    }
    if let method = RFactorMethods.named(rFactor.text, bloodWater: bloodWater) {
      self.rFactor = method
    } else if let r = Double(decimal: rFactor.text), r > 0 {
      self.rFactor = GivenRFactor(RFactor(r))
    } else {
      throw .input(
        "\(rFactor.place): there is no r method \(rFactor.text.quoted); choose from "
          + RFactorMethods.known().map(\.name).joined(separator: ", ") + ", or a number")
    }
  }
}

extension CaseText {
  /// An elimination rate without the unit behind it, and that unit.
  fileprivate func rate(
    in unit: ConcentrationUnit?
  ) throws(Problem) -> (CaseText, ConcentrationUnit?) {
    // A name of a distribution is before a colon, so that the first letter behind the numbers begins the unit.
    let start = text.lastIndex(of: ":").map { text.index(after: $0) }
    let numbers = text[(start ?? text.startIndex)...]
    guard
      let end = numbers.indices.first(where: {
        !numbers[$0].isNumber && !"+-., ".contains(numbers[$0]) && !Self.isExponent(numbers, $0)
      })
    else { return (self, unit) }
    let behind = numbers[end...].trimmingCharacters(in: CharacterSet(charactersIn: " "))
      .lowercased()
    let perHour = ["/h", "/hr", " per h", " per hour"].first(where: behind.hasSuffix)
    guard let perHour,
      let stated = ColumnWord.concentration(of: .blood, in: String(behind.dropLast(perHour.count)))?
        .statedUnit
    else {
      throw .input(
        "\(place): \(String(numbers[end...]).quoted) is not a unit of beta; write g/kg/h, g/L/h, mg/100ml/h or "
          + "g/100ml/h")
    }
    try require(
      unit == nil || unit == stated,
      "\(place): two units of beta are stated, \(stated.rawValue) and \(unit?.rawValue ?? "")"
    )
    let number = text[..<end].trimmingCharacters(in: CharacterSet(charactersIn: " "))
    return (CaseText(number, at: place), stated)
  }

  private static func isExponent(_ text: Substring, _ place: Substring.Index) -> Bool {
    let next = text.index(after: place)
    return "eE".contains(text[place]) && next < text.endIndex
      && (text[next].isNumber || "+-".contains(text[next]))
  }
}

// MARK: - Drinks

/// A drink with its times as texts.
package struct StatedDrink: Sendable {
  package let time: CaseText
  /// When it was finished; nil for at once.
  let until: CaseText?
  /// The drink, as if it were drunk at hour 0.
  let drink: CaseDrink
  /// Whether the amount is a volume, which may be uncertain.
  package private(set) var hasVolume = false
  /// The amount where it was not written in ml or g, and what it is: `5 US fl oz is 147.9 ml of 12 %`.
  package private(set) var remark: String?

  init(time: CaseText, until: CaseText?, drink: CaseDrink) {
    self.time = time
    self.until = until
    self.drink = drink
  }

  /// The drink at its times.
  ///
  /// - Throws: ``Problem`` for a time that is none, and if it ended before it was begun.
  package func drink(by clock: CaseClock) throws(Problem) -> CaseDrink {
    var drink = drink
    drink.start = try clock.hours(time)
    let end = try until.map(clock.hours) ?? drink.start
    try require(
      end >= drink.start,
      "\(time.place): the drink ended (\(until?.text ?? "")) before it was begun (\(time.text)); if "
        + "it was after midnight, write 01:30+1 or the date")
    drink.duration = end - drink.start
    return drink
  }
}

extension StatedDrink {
  /// Reads `21:00=500ml@5%`, `21:00..22:30=500ml@5%`, `21:00=20g`, and amounts that people write in other units:
  /// `21:00=5oz@12%`, `21:00=1 uk pint@5%`, `21:00=2 uk units`, `21:00=50ml@90proof`.
  ///
  /// - Parameters:
  ///   - volumeCVPercent: Coefficient of variation of a volume, in percent.
  ///   - abvSDPercent: Standard deviation of a strength, in percent by volume.
  /// - Throws: ``Problem``
  package init(
    parsing text: String, isLater: Bool = false, volumeCVPercent: Double = 0,
    abvSDPercent: Double = 0, at place: String
  ) throws(Problem) {
    let wrong = Problem.input(
      "\(place): \(text.quoted) is not a drink; write 21:00=500ml@5%, 21:00..22:30=500ml@5% or 21:00=20g; "
        + "volumes in ml, cl, dl, l, oz (of the US), uk oz, us pint or uk pint, strengths in % or proof (of the US), "
        + "ethanol in g or uk units"
    )
    func trimmed(_ part: Substring) -> String {
      part.trimmingCharacters(in: CharacterSet(charactersIn: " "))
    }
    let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(trimmed)
    guard parts.count == 2 else { throw wrong }
    let times = parts[0].split(separator: "..", omittingEmptySubsequences: false).map(trimmed)
    guard (1...2).contains(times.count) else { throw wrong }
    guard let amount = try WrittenAmount(parts[1], at: place) else { throw wrong }
    let hasVolume = amount.volume != nil
    self.init(
      time: CaseText(times[0], at: place),
      until: times.count == 2 ? CaseText(times[1], at: place) : nil,
      drink: try CaseDrink(
        volume: amount.volume, volumeCVPercent: hasVolume ? volumeCVPercent : nil,
        abvPercent: amount.abvPercent, abvSDPercent: hasVolume ? abvSDPercent : nil,
        ethanol: amount.ethanol, isLater: isLater, written: amount.written, at: place))
    self.hasVolume = hasVolume
    remark = amount.written.map { "\($0) is \(amount.measured)" }
  }
}

/// An amount as people write it: a volume in ml and its strength in percent, or ethanol in g.
private struct WrittenAmount {
  private(set) var volume: Double?
  private(set) var abvPercent: Double?
  private(set) var ethanol: Double?
  /// The amount as it was written, where it was not in ml or g: `5 US fl oz`.
  private(set) var written: String?

  /// The amount in ml or g.
  var measured: String {
    volume.map { "\($0.brief) ml" + (abvPercent.map { " of \($0.brief) %" } ?? "") }
      ?? String(format: "%.3g g of ethanol", ethanol ?? 0)
  }

  /// Reads an amount; nil for any other text.
  ///
  /// - Throws: ``Problem`` if it depends on the country.
  init?(_ text: String, at place: String) throws(Problem) {
    let amounts = text.split(separator: "@", omittingEmptySubsequences: false)
    if amounts.count == 1, amounts[0].hasSuffix("g"),
      let grams = Double(decimal: amounts[0].dropLast())
    {
      ethanol = grams
    } else if amounts.count == 2, amounts[1].hasSuffix("%"),
      let quantity = ParsedQuantity(String(amounts[0])), quantity.unit != nil,
      let millilitres = quantity.value(of: .volume),
      let strength = ParsedQuantity(String(amounts[1].dropLast())), strength.unit == nil
    {
      volume = millilitres
      abvPercent = strength.number
      // Ounces without a country are those of the US.
      if ["oz", "fl oz", "us fl oz"].contains(quantity.unit) {
        written = "\(quantity.number.brief) US fl oz"
      } else if !["ml", "cl", "l"].contains(quantity.unit) {
        written = String(amounts[0])
      }
    } else if try !read(words: text, at: place) {
      return nil
    }
  }

  /// Reads an amount in words, if nothing in it has to be assumed.
  private mutating func read(words amount: String, at place: String) throws(Problem) -> Bool {
    guard let drinks = try? ParsedDrink.read(amount, sizes: .uk), let drink = drinks.first,
      drinks.count == 1
    else { return false }
    let words = amount.lowercased()
    // Only the United Kingdom counts in units; pints and standard drinks differ between countries.
    let isUnits = drink.name == "standard drink" && words.contains("unit")
    guard drink.assumed.isEmpty || isUnits else {
      guard drink.assumed == [.size], words.contains("pint") || drink.name == "standard drink"
      else { return false }
      throw .input(
        "\(place): how much \(amount.quoted) is depends on the country; write us pint (473 ml) or uk pint "
          + "(568 ml), uk units (8 g) or us standard drinks (14 g), or the amount in ml or g")
    }
    guard drink.ethanol > 0 else { return false }
    written =
      amount.replacing("@", with: " of ").replacing("proof", with: " US proof")
      + (isUnits && !drink.assumed.isEmpty ? " of the UK" : "")
      + (["oz", "ounce"].contains { words.contains($0) }
        && !["us", "uk", "imp"].contains { words.contains($0) } ? " (US fluid ounces)" : "")
    if let volume = drink.volume, let percent = drink.abvPercent {
      self.volume = volume.value * drink.count
      abvPercent = percent
    } else {
      ethanol = drink.ethanol.value
    }
    return true
  }
}

extension CaseDrink {
  /// A drink at hour 0 by its volume in ml and strength in percent, or by its ethanol in g.
  ///
  /// - Throws: ``Problem`` for numbers that no drink has or that were probably stated in another unit, and
  ///   for uncertainties of what is not stated.
  init(
    volume: Double?, volumeCVPercent: Double?, abvPercent: Double?, abvSDPercent: Double?,
    ethanol: Double?, ethanolSD: Double? = nil, isLater: Bool, written: String? = nil,
    at place: String
  ) throws(Problem) {
    try require(
      [volume, abvPercent, ethanol].compactMap(\.self).allSatisfy { $0.isFinite && $0 >= 0 },
      "\(place): a number of the drink is negative or not finite")
    try require(
      volume == nil || ethanolSD == nil,
      "\(place): ethanol_sd_g belongs to a drink that is given as ethanol_g; of volume_ml and abv_percent "
        + "give volume_cv_percent and abv_sd_percent")
    try require(
      volume != nil || volumeCVPercent == nil && abvSDPercent == nil,
      "\(place): volume_cv_percent and abv_sd_percent belong to a drink that is given as volume_ml and "
        + "abv_percent; of ethanol_g give ethanol_sd_g")
    switch (volume, abvPercent, ethanol) {
    case (let volume?, let abv?, nil):
      try Self.check(volume: volume, abv: abv, at: place)
      self.init(
        start: 0,
        ethanol: EthanolDose.volume(Millilitres(volume), abvPercent: abv).mass(forBodyWeight: nil)
          ?? 0,
        volumeCV: (volumeCVPercent ?? 0) / 100, strengthCV: abv > 0 ? (abvSDPercent ?? 0) / abv : 0,
        isLater: isLater,
        text: (written.map { "\($0) (\(volume.brief) ml)" } ?? "\(volume.brief) ml")
          + " of \(abv.brief) %")
    case (nil, nil, let grams?):
      self.init(
        start: 0, ethanol: Grams(grams), volumeCV: grams > 0 ? (ethanolSD ?? 0) / grams : 0,
        isLater: isLater, text: (written.map { "\($0): " } ?? "") + "\(grams.brief) g of ethanol")
    default:
      throw .input(
        "\(place): a drink needs a volume in ml and a strength in percent, or its ethanol in g")
    }
  }

  /// Refuses volumes and strengths that were probably stated in another unit.
  private static func check(
    volume: Double, abv: Double, at place: String
  ) throws(Problem) {
    try require(
      volume <= 10_000, "\(place): the drink has \(volume) ml; it must be 10000 at most")
    try require(abv <= 100, "\(place): the drink has \(abv) %; it must be 100 at most")
    try require(
      abv == 0 || abv >= 0.5,
      "\(place): the drink has \(abv) %, which looks like a fraction; give percent by volume")
    try require(
      volume == 0 || volume >= 5,
      "\(place): the drink has \(volume) ml, which looks like litres; give ml")
  }
}
