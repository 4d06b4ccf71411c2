public import AlcoholKinetics
import Foundation
import StudyData
import StudyFiles

/// A case as it is stated, in texts and numbers, by the options of a command or by a file.
///
/// Every text carries its place, for messages.
public struct CaseDraft: Sendable {
  /// A text and where it stands: an option, or a file with line and column.
  public struct Stated: Sendable {
    public let text: String
    public let place: String

    public init(_ text: String, at place: String) {
      self.text = text
      self.place = place
    }
  }

  /// A drink as stated: two times, and a volume with its strength or a mass of ethanol.
  public struct StatedDrink: Sendable {
    public var time: Stated
    /// When it was finished; nil for at once.
    public var until: Stated?
    /// In ml.
    public var volume: Double?
    /// Coefficient of variation of the volume, in percent; nil for that of all drinks.
    public var volumeCVPercent: Double?
    public var abvPercent: Double?
    /// Standard deviation of the strength, in percent by volume; nil for that of all drinks.
    public var abvSDPercent: Double?
    /// In g.
    public var ethanol: Double?
    /// Standard deviation of the ethanol, in g.
    public var ethanolSD: Double?
    public var isLater: Bool
    /// How the volume was written, where that is not in ml: `5 US fl oz`.
    public var written: String?
  }

  /// The case, but for what follows from the texts: times, drinks, measurement and unit.
  public var one: Case
  /// The date whose midnight is hour 0; nil for the first date among the times, or for none.
  public var date: Stated?
  /// Where the clocks are, as `Europe/Berlin`; nil for times that say their distance from UTC, or for clocks that
  /// are never changed.
  public var timeZone: Stated?
  public var at: Stated?
  public var drinks: [StatedDrink] = []
  /// Coefficient of variation of the volume of drinks that state none, in percent.
  public var volumeCVPercent = 0.0
  /// Standard deviation of the strength of drinks that state none, in percent by volume.
  public var abvSDPercent = 0.0
  public var began: Stated?
  public var ended: Stated?
  public var measuredAt: Stated?
  /// The measured values of all samples, in ``measuredUnit``.
  public var measured: [Double] = []
  /// By how much they may differ, in percent of their mean.
  public var duplicateLimitPercent = 100 * CaseMeasurement.usualDuplicateLimit
  /// The analytical standard deviation of one value, in ``measuredUnit``.
  public var measuredSD = 0.0
  /// What it was measured in: blood, serum or breath, and its unit.
  public var measuredUnit: ConcentrationUnit?
  /// The unit of answers and limits; nil for that of the measurement, or else g/kg.
  public var answerUnit: ConcentrationUnit?
  /// Elimination rate, in g/kg/h unless ``betaUnit`` says otherwise, or a unit stands behind it.
  public var beta: Stated?
  /// The unit of ``beta``, per hour.
  public var betaUnit: ConcentrationUnit?
  /// Absorption rate constant in 1/h.
  public var ka: Stated?
  /// Lag before absorption, in min.
  public var lagMinutes: Stated?
  /// The method for r, or r itself in kg/kg; nil for Watson's method.
  public var rFactor: Stated?
  public var bloodWater = BloodWater.perKilogram
  /// The fraction of the ethanol drunk that reaches the blood; nil for all of it.
  public var absorbed: Stated?

  public init(_ question: CaseQuestion) {
    one = Case(question, clock: .unset, person: Subject(id: "1"))
  }

  /// The case.
  ///
  /// - Throws: ``CaseFailure/input(_:)`` or ``CaseFailure/missing(_:)``.
  public func made() throws(CaseFailure) -> Case {
    var one = one
    let clock = try clock()
    func hours(_ stated: Stated?) throws(CaseFailure) -> Hours? {
      guard let stated else { return nil }
      do {
        return try clock.hours(stated.text)
      } catch {
        throw .input("\(stated.place): \(error)")
      }
    }
    var drinks: [CaseDrink] = []
    for drink in self.drinks {
      let start = try hours(drink.time) ?? 0
      drinks.append(try made(drink, from: start, to: try hours(drink.until) ?? start))
    }
    if volumeCVPercent > 0 || abvSDPercent > 0, !self.drinks.contains(where: { $0.volume != nil }) {
      throw .input("an uncertainty of volumes or strengths is stated, but no drink has a volume")
    }
    if let first = measured.first {
      guard let measuredUnit else {
        throw .missing(
          "the unit of the measured \(first) is not given; state it with --unit, or as unit in a file: "
            + Self.units)
      }
      guard let time = try hours(measuredAt) else {
        throw .missing("the time of the measurement is not given")
      }
      one.measurement = CaseMeasurement(
        time: time, values: measured, sd: measuredSD, unit: measuredUnit,
        duplicateLimit: duplicateLimitPercent / 100)
    } else if measuredAt != nil || measuredUnit != nil || measuredSD != 0 {
      throw .missing("the measured value is not given, but its time, unit or SD is")
    }
    if !one.limits.isEmpty, answerUnit == nil, measuredUnit == nil {
      throw .missing(
        "the unit of the limits is not given; state that of the answer with --answer-unit, or as answer_unit in a "
          + "file: \(Self.units)")
    }
    one.clock = clock
    one.at = try hours(at)
    one.drinks = drinks.sorted { $0.start < $1.start }
    one.drinkingBegan = try hours(began)
    one.drinkingEnded = try hours(ended)
    one.unit = answerUnit ?? measuredUnit ?? .bloodGramsPerKilogram
    one.assumptions = try madeAssumptions()
    return one
  }

  private static let units = ConcentrationUnit.allCases.map(\.rawValue).joined(separator: ", ")

  private func clock() throws(CaseFailure) -> CaseClock {
    let times = [at, began, ended, measuredAt] + drinks.flatMap { [$0.time, $0.until] }
    do {
      return try CaseClock(
        date: date?.text, timeZone: timeZone?.text, times: times.compactMap { $0?.text })
    } catch {
      throw .input((timeZone ?? date).map { "\($0.place): \(error)" } ?? "\(error)")
    }
  }

  private func made(
    _ drink: StatedDrink, from start: Hours, to end: Hours
  ) throws(CaseFailure) -> CaseDrink {
    let place = drink.time.place
    try require(
      end >= start,
      .input(
        "\(place): the drink ended (\(drink.until?.text ?? "")) before it was begun (\(drink.time.text)); if "
          + "it was after midnight, write 01:30+1 or the date"))
    try check(drink)
    switch (drink.volume, drink.abvPercent, drink.ethanol) {
    case (let volume?, let abv?, nil):
      try check(volume: volume, abv: abv, at: place)
      let ethanol =
        EthanolDose.volume(Millilitres(volume), abvPercent: abv).mass(forBodyWeight: nil) ?? 0
      return CaseDrink(
        start: start, duration: end - start, ethanol: ethanol,
        volumeCV: (drink.volumeCVPercent ?? volumeCVPercent) / 100,
        strengthCV: abv > 0 ? (drink.abvSDPercent ?? abvSDPercent) / abv : 0,
        isLater: drink.isLater,
        text: (drink.written.map { "\($0) (\(volume.brief) ml)" } ?? "\(volume.brief) ml")
          + " of \(abv.brief) %")
    case (nil, nil, let grams?):
      return CaseDrink(
        start: start, duration: end - start, ethanol: Grams(grams),
        volumeCV: grams > 0 ? (drink.ethanolSD ?? 0) / grams : 0, isLater: drink.isLater,
        text: (drink.written.map { "\($0): " } ?? "") + "\(grams.brief) g of ethanol")
    default:
      throw .input(
        "\(place): a drink needs a volume in ml and a strength in percent, or its ethanol in g")
    }
  }

  /// Refuses numbers that no drink has, and uncertainties of what is not stated.
  private func check(_ drink: StatedDrink) throws(CaseFailure) {
    let place = drink.time.place
    let numbers = [
      drink.volume, drink.volumeCVPercent, drink.abvPercent, drink.abvSDPercent, drink.ethanol,
      drink.ethanolSD,
    ].compactMap(\.self)
    try require(
      numbers.allSatisfy({ $0.isFinite && $0 >= 0 }),
      "\(place): a number of the drink is negative or not finite")
    if drink.volume != nil, drink.ethanolSD != nil {
      throw .input(
        "\(place): ethanol_sd_g belongs to a drink that is given as ethanol_g; of volume_ml and abv_percent "
          + "give volume_cv_percent and abv_sd_percent")
    }
    if drink.volume == nil, drink.volumeCVPercent != nil || drink.abvSDPercent != nil {
      throw .input(
        "\(place): volume_cv_percent and abv_sd_percent belong to a drink that is given as volume_ml and "
          + "abv_percent; of ethanol_g give ethanol_sd_g")
    }
  }

  /// Refuses volumes and strengths that were probably stated in another unit.
  private func check(
    volume: Double, abv: Double, at place: String
  ) throws(CaseFailure) {
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

  private func madeAssumptions() throws(CaseFailure) -> CaseAssumptions {
    var made = one.assumptions
    let form =
      "write a number, normal:MEAN,SD, lognormal:MEDIAN,CV% without the sign, uniform:LOW,HIGH or "
      + "range:LOW,LIKELIEST,HIGH"
    func known(_ stated: Stated?, _ more: String = "") throws(CaseFailure) -> Uncertainty? {
      guard let stated else { return nil }
      guard let value = Uncertainty(parsing: stated.text) else {
        throw .input(
          "\(stated.place): \(stated.text.quoted) describes no positive quantity; \(form)\(more)")
      }
      return value
    }
    if let beta, made.betaPopulation != .unknown {
      throw .input(
        "\(beta.place): beta is stated, and \(made.betaPopulation.rawValue) as the population it is taken from; "
          + "leave one of them out")
    }
    if let guideline = made.guideline {
      try require(
        made.absorbedAfter == CaseAssumptions().absorbedAfter,
        "the guideline \(guideline.rawValue) says when absorption has finished; leave out that time"
      )
      made.absorbedAfter = guideline.absorbedAfter
    }
    if let beta {
      let (text, unit) = try Self.rate(beta, betaUnit)
      made.betaUnit = unit
      made.beta = try known(
        Stated(text, at: beta.place), "; in g/kg/h, or with its unit behind it, as 0.186g/L/h"
      )?.scaled(by: (unit ?? .bloodGramsPerKilogram).gramsPerKilogram(using: made.factors))
    } else if betaUnit != nil {
      throw .input("the unit of beta is stated, but beta is not")
    }
    made.absorbedFraction = try known(absorbed, "; for nine tenths write 0.9")
    made.ka = try known(ka) ?? made.ka
    made.lag = try known(lagMinutes)?.scaled(by: 1 / 60.0)
    if rFactor == nil, made.rUnit != nil {
      throw .input("the unit of r is stated, but r is not given as a number")
    }
    let name = rFactor?.text ?? "watson"
    if let method = RFactorMethods.named(name, bloodWater: bloodWater) {
      made.rFactor = method
    } else if let r = Double(decimal: name), r > 0 {
      made.rFactor = GivenRFactor(RFactor(r))
    } else {
      throw .input(
        "\(rFactor?.place ?? ""): there is no r method \(name.quoted); choose from "
          + RFactorMethods.known().map(\.name).joined(separator: ", ") + ", or a number")
    }
    return made
  }
}

extension CaseDraft {
  /// An elimination rate without the unit behind it, and that unit.
  private static func rate(
    _ stated: Stated, _ unit: ConcentrationUnit?
  ) throws(CaseFailure) -> (String, ConcentrationUnit?) {
    // A name of a distribution is before a colon, so that the first letter behind the numbers begins the unit.
    let start = stated.text.lastIndex(of: ":").map { stated.text.index(after: $0) }
    let numbers = stated.text[(start ?? stated.text.startIndex)...]
    guard
      let end = numbers.indices.first(where: {
        !numbers[$0].isNumber && !"+-., ".contains(numbers[$0]) && !isExponent(numbers, $0)
      })
    else { return (stated.text, unit) }
    let behind = numbers[end...].trimmingCharacters(in: CharacterSet(charactersIn: " "))
      .lowercased()
    let perHour = ["/h", "/hr", " per h", " per hour"].first(where: behind.hasSuffix)
    guard let perHour,
      let known = ColumnWord.concentration(of: .blood, in: String(behind.dropLast(perHour.count)))?
        .unit
    else {
      throw .input(
        "\(stated.place): \(String(numbers[end...]).quoted) is not a unit of beta; write g/kg/h, g/L/h, mg/100ml/h or "
          + "g/100ml/h")
    }
    try require(
      unit == nil || unit == known,
      "\(stated.place): two units of beta are stated, \(known.rawValue) and \(unit?.rawValue ?? "")"
    )
    return (
      String(stated.text[..<end]).trimmingCharacters(in: CharacterSet(charactersIn: " ")), known
    )
  }

  private static func isExponent(_ text: Substring, _ place: Substring.Index) -> Bool {
    let next = text.index(after: place)
    return "eE".contains(text[place]) && next < text.endIndex
      && (text[next].isNumber || "+-".contains(text[next]))
  }
}

extension CaseDraft.StatedDrink {
  /// Reads `21:00=500ml@5%`, `21:00..22:30=500ml@5%`, `21:00=20g`, and amounts that people write in other units:
  /// `21:00=5oz@12%`, `21:00=1 uk pint@5%`, `21:00=2 uk units`, `21:00=50ml@90proof`.
  ///
  /// - Throws: ``CaseFailure/input(_:)``
  public init(parsing text: String, later: Bool, at place: String) throws(CaseFailure) {
    let wrong = CaseFailure.input(
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
    self.init(
      time: CaseDraft.Stated(times[0], at: place),
      until: times.count == 2 ? CaseDraft.Stated(times[1], at: place) : nil, isLater: later)
    let amounts = parts[1].split(separator: "@", omittingEmptySubsequences: false)
    if amounts.count == 1, amounts[0].hasSuffix("g"),
      let grams = Double(decimal: amounts[0].dropLast())
    {
      ethanol = grams
    } else if amounts.count == 2, amounts[1].hasSuffix("%"),
      let quantity = WrittenQuantity(String(amounts[0])), quantity.unit != nil,
      let millilitres = quantity.value(of: .volume),
      let strength = WrittenQuantity(String(amounts[1].dropLast())), strength.unit == nil,
      case let percent = strength.number
    {
      volume = millilitres
      abvPercent = percent
      // Ounces without a country are those of the US.
      if ["oz", "fl oz", "us fl oz"].contains(quantity.unit) {
        written = "\(quantity.number.brief) US fl oz"
      } else if !["ml", "cl", "l"].contains(quantity.unit) {
        written = String(amounts[0])
      }
    } else {
      try read(parts[1], at: place, or: wrong)
    }
  }

  /// Reads an amount as people write it, if nothing in it has to be assumed.
  private mutating func read(
    _ amount: String, at place: String, or wrong: CaseFailure
  ) throws(CaseFailure) {
    guard let drinks = try? WrittenDrink.read(amount, sizes: .uk), let drink = drinks.first,
      drinks.count == 1
    else { throw wrong }
    let words = amount.lowercased()
    // Only the United Kingdom counts in units; pints and standard drinks differ between countries.
    let isUnits = drink.name == "standard drink" && words.contains("unit")
    guard drink.assumed.isEmpty || isUnits else {
      guard drink.assumed == [.size], words.contains("pint") || drink.name == "standard drink"
      else {
        throw wrong
      }
      throw .input(
        "\(place): how much \(amount.quoted) is depends on the country; write us pint (473 ml) or uk pint "
          + "(568 ml), uk units (8 g) or us standard drinks (14 g), or the amount in ml or g")
    }
    guard drink.ethanol > 0 else { throw wrong }
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
  }
}
