import AlcoholKinetics
import StudyData

extension Case {
  /// The highest survivable blood concentration, in g/kg.
  static let highest = 6.0

  /// Checks the case.
  ///
  /// - Returns: Warnings to consider before relying on the answer.
  /// - Throws: ``Problem`` for facts that are missing or impossible, or that guidelines refuse.
  func check(_ mode: CaseOptions.Mode) throws(Problem) -> [CaseWarning] {
    try checkPerson()
    try checkDrinks()
    try checkAssumptions()
    try checkMeasurement()
    try checkNeeds()
    try checkOrder()
    let warnings = try warnings()
    try checkGuideline(mode)
    return warnings
  }

  private func checkPerson() throws(Problem) {
    try Self.range("weight", person.weight?.value, BodyRange.weights, "kg")
    try Self.range("SD of the weight", weightSD.value, 0...50, "kg")
    if let height = person.height?.centimetres, height > 0, height < 3 {
      throw .input("the height is \(height) cm, which looks like metres; give it in cm")
    }
    try Self.range("height", person.height?.centimetres, BodyRange.heights, "cm")
    try Self.range("SD of the height", heightSD.centimetres, 0...30, "cm")
    try Self.range("age", person.age?.value, BodyRange.ages, "years")
  }

  static func checkCount(ofDrinks count: Int) throws(Problem) {
    try require(
      count <= 1000, "\(count) drinks are stated; state 1000 at most, or put some together")
  }

  private func checkDrinks() throws(Problem) {
    try Self.checkCount(ofDrinks: drinks.count)
    for drink in drinks {
      try Self.range("ethanol of the drink \(drink.text)", drink.ethanol.value, 0...1000, "g")
      try Self.range("duration of the drink \(drink.text)", drink.duration.value, 0...24, "h")
      try Self.range("CV of the drink \(drink.text)", 100 * drink.volumeCV, 0...50, "%")
      try Self.range("relative SD of a strength", 100 * drink.strengthCV, 0...50, "%")
    }
    let total = drinks.reduce(0.0) { $0 + $1.ethanol.value }
    try Self.range("ethanol of all drinks", total, 0...2000, "g")
    try require(
      drinks.isEmpty || total > 0, "the stated drinks hold no ethanol; check volumes and strengths")
  }

  private func checkAssumptions() throws(Problem) {
    let value = assumptions
    for (name, input, range, unit) in [
      (
        "beta", value.beta, 0.03...0.6,
        "g/kg/h (15 mg/100 ml/h are 0.14 g/kg/h; write its unit behind it, as 15mg/100ml/h)"
      ),
      ("k_a", value.ka, 0.1...60, "1/h"), ("lag", value.lag, 0...3, "h"),
    ] {
      try Self.range(name, input?.likeliest, range, unit)
      try Self.range("lower end of \(name)", input?.ends.lowerBound, 0...range.upperBound, unit)
      try Self.range(
        "upper end of \(name)", input?.ends.upperBound, 0...(2 * range.upperBound), unit)
      if name != "lag", let input, input.ends.lowerBound <= 0 {
        throw .input("the range of \(name) reaches zero; it must be positive")
      }
    }
    let fraction = value.absorbedFraction
    for (name, number) in [
      ("absorbed fraction", fraction?.likeliest),
      ("lower end of the absorbed fraction", fraction?.ends.lowerBound),
      ("upper end of the absorbed fraction", fraction?.ends.upperBound),
    ] {
      try Self.range(name, number, 0.3...1, "of what was drunk")
    }
    try require(
      value.rUnit != .litresPerKilogram || value.rFactor is GivenRFactor,
      "an r method gives r in kg/kg; L/kg is for an r that is given as a number")
    try Self.range("CV of r", value.rCV.map { 100 * $0 }, 0...50, "%")
    if let given = value.rFactor as? GivenRFactor {
      try Self.range("r", given.r.value * value.rScale, 0.3...1.2, "kg/kg")
    }
    try Self.range("time until absorption has finished", value.absorbedAfter.value, 0...12, "h")
    try Self.range("lowest concentration", value.lowest.value, 0...1, "g/kg")
    let factors = value.factors
    try Self.range("blood:breath ratio", factors.bloodBreathRatio, 1000...4000, "")
    try Self.range("serum:blood ratio", factors.serumBloodRatio, 0.9...1.6, "")
    try Self.range("density of blood", factors.bloodDensityKgPerL, 0.9...1.2, "kg/L")
    try Self.range(
      "SD of the blood:breath ratio", value.breathRatioSD, 0...(factors.bloodBreathRatio / 4), "")
    try Self.range(
      "SD of the serum:blood ratio", value.serumRatioSD, 0...(factors.serumBloodRatio / 4), "")
    try require(limits.count <= 20, "\(limits.count) limits are given; give 20 at most")
    for limit in limits {
      let blood = unit.bloodConcentration(of: limit, using: factors).value
      try require(
        limit.isFinite && limit >= 0 && blood <= Self.highest,
        "the limit \(limit) \(unit.rawValue) is \(blood) g/kg of blood; check its unit")
    }
  }

  private func checkMeasurement() throws(Problem) {
    guard let measurement else { return }
    let blood = measurement.unit.bloodConcentration(
      of: measurement.value, using: assumptions.factors
    ).value
    for value in measurement.values where !(value.isFinite && value >= 0) {
      throw .input(
        "the measured \(value) \(measurement.unit.rawValue) is not a concentration; it must be 0 or more"
      )
    }
    try require(
      (1...20).contains(measurement.values.count),
      "\(measurement.values.count) values are given for the measurement; give 1 to 20")
    let text = "the measured \(measurement.value.brief) \(measurement.unit.rawValue)"
    try require(
      blood <= Self.highest,
      "\(text) is \(blood.brief) g/kg of blood, above \(Self.highest.brief); check the unit")
    try Self.range(
      "limit of the difference of samples", 100 * measurement.duplicateLimit, 0...50, "%")
    guard measurement.difference <= measurement.duplicateLimit * measurement.value * (1 + 1e-12)
    else {
      let percent = 100 * measurement.difference / measurement.value
      throw .input(
        "the measured values \(measurement.values.map(\.brief).joined(separator: ", ")) differ by "
          + "\(measurement.difference.brief) \(measurement.unit.rawValue), \(percent.brief) % of their mean; "
          + "\((100 * measurement.duplicateLimit).brief) % are allowed. Have the sample analysed again; if the "
          + "laboratory's rule is another one, state it (--duplicate-limit)")
    }
    try require(
      measurement.sd.isFinite && measurement.sd >= 0 && measurement.sd <= measurement.value / 2,
      "the SD of the measurement is \(measurement.sd), and the value \(measurement.value.brief); it must be "
        + "from 0 to half the value, in the same unit")
    let usesIt = needs.contains(.measurement) && question != .sober
    if usesIt, blood < assumptions.lowest.value {
      throw .input(
        "\(text) is \(blood.brief) g/kg of blood, below \(assumptions.lowest.value) g/kg: elimination "
          + "is no longer constant there, so nothing can be calculated from it. Check the unit")
    }
  }

  /// Refuses a case without the facts that the question needs.
  private func checkNeeds() throws(Problem) {
    func need(_ isThere: Bool, _ what: String) throws(Problem) {
      guard isThere else { throw .missing("the question \(question.rawValue) needs \(what)") }
    }
    if question != .sober { try need(question == .drinks || at != nil, "the time asked about") }
    if needs.contains(.measurement) { try need(measurement != nil, "a measured concentration") }
    if question == .sober {
      try need(measurement != nil || !drinks.isEmpty, "a measurement or drinks")
    }
    if question == .forward {
      try need(measurement != nil || !drinks.isEmpty, "drinks or a measured concentration")
    }
    if question == .drinks { try need(began != nil, "the time when drinking began") }
    if question == .later {
      try need(drinks.contains(where: \.isLater), "drinks that were taken after the event")
    }
    if needs.contains(.r) { try need(person.weight != nil, "the body weight") }
  }

  private func checkOrder() throws(Problem) {
    let hint = "; if it was after midnight, write 01:30+1 or the date"
    guard times.allSatisfy(\.value.isFinite) else { throw .input("a time is not a number") }
    guard let first = times.min(), let last = times.max() else { return }
    try require(
      (last - first).value <= 48,
      .input(
        "\(clock.text(first)) and \(clock.text(last)) are more than 48 h apart; check the dates"))
    func requireOrder(
      _ early: Hours?, _ late: Hours?, _ names: String
    ) throws(Problem) {
      guard let early, let late, late < early else { return }
      throw .input("\(names) (\(clock.text(late)) is before \(clock.text(early)))\(hint)")
    }
    try requireOrder(drinkingBegan, drinkingEnded, "drinking ended before it began")
    let measured = measurement?.time
    if needs.contains(.measurement), !goesOnFromMeasurement || drinks.isEmpty {
      try requireOrder(began, measured, "the measurement was taken before drinking began")
      try requireOrder(ended, measured, "the measurement was taken before drinking ended")
    }
    switch question {
    case .back, .later:
      try requireOrder(at, measured, "the measurement was taken before the time asked about")
      if question == .back {
        for drink in drinks {
          try requireOrder(drink.end, measured, "the measurement was taken before the drinks ended")
        }
      } else {
        for drink in drinks where drink.isLater {
          try requireOrder(at, drink.start, "a later drink was begun before the event")
          try requireOrder(
            drink.end, measured, "the measurement was taken before the later drinks ended")
        }
      }
      try checkAbsorption()
    case .forward:
      if goesOnFromMeasurement {
        try requireOrder(
          measured, at, "the time asked about is before the measurement, from which only back leads"
        )
      }
      try requireOrder(began, at, "the time asked about is before the first drink")
    case .drinks, .sober: break
    }
  }

  private func checkAbsorption() throws(Problem) {
    guard let absorbed, let at = countedTo, at < absorbed else { return }
    let isMeasuredLater = measurement.map { $0.time >= absorbed } ?? true
    throw .absorption(
      "the time asked about (\(clock.text(at))) is less than "
        + "\(assumptions.absorbedAfter.value.brief) h after the end of drinking "
        + "(\(clock.text(absorbed - assumptions.absorbedAfter))), when alcohol may still have been absorbed, so that "
        + "no back calculation holds. Ask forward from the drinks"
        + (isMeasuredLater ? ", or about \(clock.text(absorbed)) or later" : ""))
  }

  // MARK: Warnings

  private func warnings() throws(Problem) -> [CaseWarning] {
    var warnings = try bodyWarnings()
    if question == .back || question == .later {
      if ended == nil, assumptions.guideline == nil {
        warnings.append(
          .absorbing(
            "the end of drinking is not given; the answer holds only if absorption had finished "
              + "at the time asked about", "State the drinks, or when drinking ended"))
      }
      if let at, let time = measurement?.time, (time - at).value > 4 {
        warnings.append(
          CaseWarning(
            "W_CASE_FAR",
            "the answer goes back \((time - at).value.brief) h; on measured people it was checked over 4 h only"
          ))
      }
    }
    warnings += absorptionWarnings()
    if question == .sober,
      soberLimits.contains(where: {
        unit.bloodConcentration(of: $0, using: assumptions.factors) < assumptions.lowest
      })
    {
      warnings.append(
        CaseWarning(
          "W_CASE_NEAR_ZERO",
          "elimination slows down below about \(assumptions.lowest.value) g/kg; times to lower limits are too early"
        ))
    }
    return warnings
  }

  private func bodyWarnings() throws(Problem) -> [CaseWarning] {
    var warnings: [CaseWarning] = []
    if let weight = person.weight?.value, let height = person.height?.value {
      let index = weight / (height * height)
      try require(
        BodyRange.massIndices.contains(index),
        "\(weight) kg at \(person.height?.centimetres ?? 0) cm is a body mass index of \(index.brief); "
          + "check the units (kg and cm)")
      if !(16...40).contains(index), needs.contains(.weight) {
        warnings.append(
          .body(
            "the body mass index is \(index.brief), for which r methods were not made",
            "Check that the weight is in kg, not in pounds"))
      }
    }
    if let age = person.age?.value, age < 18, needs.contains(.r) {
      warnings.append(
        .body("the person is \(age.brief) years old; r methods were made for adults"))
    }
    return warnings
  }

  private func absorptionWarnings() -> [CaseWarning] {
    var warnings: [CaseWarning] = []
    let finishes = assumptions.absorption == .finished
    if let end = ended, finishes, !goesOnFromMeasurement,
      question == .forward || question == .drinks,
      let time = question == .forward ? at : measurement?.time,
      time < end + assumptions.absorbedAfter
    {
      warnings.append(
        .absorbing(
          "drinking ended only \((time - end).value.brief) h before \(clock.text(time)); absorption "
            + "is taken as finished, so "
            + (question == .forward ? "the concentration may be lower" : "more may have been drunk")
        ))
    }
    if question == .later, finishes, let time = measurement?.time,
      let end = drinks.filter(\.isLater).map(\.end).max(), time < end + assumptions.absorbedAfter
    {
      warnings.append(
        .absorbing(
          "the drinks after the event ended only \((time - end).value.brief) h before the measurement; absorption "
            + "is taken as finished, so less of them may have been in the blood, and more at the event"
        ))
    }
    if goesOnFromMeasurement, let end = drinkingEnded, let time = measurement?.time,
      end <= time, time < end + assumptions.absorbedAfter
    {
      warnings.append(
        .absorbing(
          "drinking ended only \((time - end).value.brief) h before the measurement; what was not yet absorbed is not "
            + "counted, so the concentration may be higher"))
    }
    if question == .sober, isStillAbsorbing {
      warnings.append(
        .absorbing(
          "the measurement was taken while drinks may still have been absorbed; the answer follows the rest "
            + "by the model, from the stated drinks"))
    }
    guard question == .drinks, !finishes else { return warnings }
    if let end = ended, let time = measurement?.time, time < end + assumptions.absorbedAfter {
      warnings.append(
        .absorbing(
          "drinking ended only \((time - end).value.brief) h before the measurement; the amount "
            + "depends much on k_a, and its upper end says little"))
    }
    if ended == began {
      warnings.append(
        .absorbing("the end of drinking is not given; the answer is for everything drunk at once"))
    }
    return warnings
  }

  private static func range(
    _ name: String, _ value: Double?, _ range: ClosedRange<Double>, _ unit: String
  ) throws(Problem) {
    guard let value, !range.contains(value) else { return }
    throw .input(
      "the \(name) is \(value.brief) \(unit); it must be from \(range.lowerBound.brief) to "
        + "\(range.upperBound.brief)")
  }
}
