public import AlcoholKinetics
public import Foundation
import StudyData
import StudyFiles

extension Case: Decodable {
  /// Reads a case in JSON, as `schemas/case-file.schema.json` has it.
  ///
  /// - Parameters:
  ///   - data: The file.
  ///   - path: Its name, for messages.
  /// - Throws: `Problem`; what is wrong with a value has its line and column.
  public init(json data: Data, path: String) throws(Problem) {
    let root = try Self.reading(path) { () throws(DescriptorProblem) in
      try data.withUnsafeBytes { bytes -> Result<JSONNode, DescriptorProblem> in
        Result { () throws(DescriptorProblem) in try JSONReader.read(file: bytes) }
      }.get()
    }
    let (file, drinks) = try Self.reading(path) {
      () throws(DescriptorProblem) -> (JSONObject, [JSONNode]) in
      let file = try JSONObject(root, called: "the case")
      return (file, try file.list("drinks") ?? [])
    }
    // Before the drinks are read one by one, which takes seconds for a hundred thousand.
    try Self.checkCount(ofDrinks: drinks.count)
    let decoded = try Self.reading(path) { () throws(DescriptorProblem) in
      try Self.check(file, drinks)
      return try root.decoded(DecodedCase.self, from: data, of: path)
    }
    self = try decoded.result.get()
  }

  /// Runs a step of reading, and gives what it throws the place in the file.
  private static func reading<Value>(
    _ path: String, _ step: () throws(DescriptorProblem) -> Value
  ) throws(Problem) -> Value {
    do {
      return try step()
    } catch {
      throw .file("\(path):\(error.place.line):\(error.place.column): \(error.message)")
    }
  }

  /// Refuses members that nothing reads: a misspelt one would be lost silently.
  private static func check(
    _ file: JSONObject, _ drinks: [JSONNode]
  ) throws(DescriptorProblem) {
    try file.check(CodingKeys.self, requiring: .question)
    try file.object("person")?.check(PersonKey.self)
    for (index, node) in drinks.enumerated() {
      let drink = try JSONObject(node, called: "drink \(index + 1)")
      try drink.check(StatedDrink.CodingKeys.self, requiring: .time)
    }
    try file.object("drinking")?.check(DrinkingKey.self)
    try file.object("measurement")?.check(MeasurementKey.self, requiring: .time, .value, .unit)
    try file.object("assumptions")?.check(CaseAssumptions.Key.self)
  }

  private enum CodingKeys: CodingKey, CaseIterable {
    case question, name, caseNumber, author, date, timeZone, at, person, drinks, drinking
    case measurement, answerUnit, limits, assumptions
  }

  private enum PersonKey: CodingKey, CaseIterable {
    case sex, ageY, heightCm, heightSdCm, weightKg, weightSdKg
  }

  private enum DrinkingKey: CodingKey, CaseIterable { case began, ended }

  private enum MeasurementKey: CodingKey, CaseIterable {
    case time, value, sd, unit, duplicateLimitPercent
  }

  /// Decodes a case from the members of a case file in camelCase.
  ///
  /// - Throws: `DecodingError`, or `Problem` if a text cannot be used or values contradict each other.
  public init(from decoder: any Decoder) throws {
    let file = try decoder.container(keyedBy: CodingKeys.self)
    let person = try file.members(.person, PersonKey.self)
    let drinking = try file.members(.drinking, DrinkingKey.self)
    let measured = try file.members(.measurement, MeasurementKey.self)

    let at = try file.text(.at)
    let began = try drinking?.text(.began)
    let ended = try drinking?.text(.ended)
    let drinks = try file.decodeIfPresent([StatedDrink].self, forKey: .drinks) ?? []
    let clock = try CaseClock(
      date: file.text(.date), timeZone: file.text(.timeZone),
      times: [at, began, ended, measured?.text(.time)], drinks: drinks)

    self.init(
      try file.decode(Word.self, forKey: .question).word,
      name: try file.decodeIfPresent(String.self, forKey: .name), clock: clock,
      at: try at.map(clock.hours),
      person: Subject(
        id: "1", sex: try person?.word(.sex), age: try person?.amount(.ageY).map { Years($0) },
        height: try person?.amount(.heightCm).map { Metres(centimetres: $0) },
        weight: try person?.amount(.weightKg).map { Kilograms($0) }),
      heightSD: Metres(centimetres: try person?.amount(.heightSdCm) ?? 0),
      weightSD: Kilograms(try person?.amount(.weightSdKg) ?? 0),
      drinks: try drinks.map { drink in try drink.drink(by: clock) },
      drinkingBegan: try began.map(clock.hours), drinkingEnded: try ended.map(clock.hours),
      measurement: try measured.map { measured in
        CaseMeasurement(
          time: try clock.hours(measured.decode(CaseText.self, forKey: .time)),
          values: try measured.amounts(.value), sd: try measured.amount(.sd) ?? 0,
          unit: try measured.decode(WrittenUnit.self, forKey: .unit).unit,
          duplicateLimit: try measured.amount(.duplicateLimitPercent).map { $0 / 100 }
            ?? CaseMeasurement.usualDuplicateLimit)
      },
      limits: try file.decodeIfPresent([Double].self, forKey: .limits) ?? [])
    number = try file.decodeIfPresent(String.self, forKey: .caseNumber)
    author = try file.decodeIfPresent(String.self, forKey: .author)
    try setUnit(file.unit(.answerUnit))
    if let stated = try file.members(.assumptions, CaseAssumptions.Key.self) {
      assumptions = try CaseAssumptions(stated)
    }
  }
}

extension StatedDrink: Decodable {
  fileprivate enum CodingKeys: CodingKey, CaseIterable {
    case time, until, volumeMl, volumeCvPercent, abvPercent, abvSdPercent, ethanolG, ethanolSdG
    case later
  }

  package init(from decoder: any Decoder) throws {
    let drink = try decoder.container(keyedBy: CodingKeys.self)
    let time = try drink.decode(CaseText.self, forKey: .time)
    self.init(
      time: time, until: try drink.text(.until),
      drink: try CaseDrink(
        volume: drink.amount(.volumeMl), volumeCVPercent: drink.amount(.volumeCvPercent),
        abvPercent: drink.amount(.abvPercent), abvSDPercent: drink.amount(.abvSdPercent),
        ethanol: drink.amount(.ethanolG), ethanolSD: drink.amount(.ethanolSdG),
        isLater: drink.decodeIfPresent(Bool.self, forKey: .later) ?? false, at: time.place))
  }
}

extension CaseAssumptions {
  fileprivate enum Key: CodingKey, CaseIterable {
    case rFactor, rUnit, rCvPercent, beta, betaUnit, betaPopulation, guideline, ka, lagMin
    case absorbed, stomach, absorption, absorbedAfterMin, lowestGPerKg, bloodWater
    case bloodDensityKgPerL, bloodBreathRatio, bloodBreathRatioSd, serumBloodRatio
    case serumBloodRatioSd
  }

  fileprivate init(_ file: KeyedDecodingContainer<Key>) throws {
    func set<Value>(_ part: WritableKeyPath<Self, Value>, _ value: Value?) {
      if let value { self[keyPath: part] = value }
    }
    rUnit = try file.word(.rUnit)
    rCV = try file.amount(.rCvPercent).map { $0 / 100 }
    guideline = try file.word(.guideline)
    isBreathRatioStated = file.contains(.bloodBreathRatio)
    set(\.betaPopulation, try file.word(.betaPopulation))
    set(\.stomach, try file.word(.stomach))
    set(\.absorption, try file.word(.absorption))
    set(\.absorbedAfter, try file.amount(.absorbedAfterMin).map { Hours(minutes: $0) })
    set(\.lowest, try file.amount(.lowestGPerKg).map { GramsPerKilogram($0) })
    set(\.factors.bloodDensityKgPerL, try file.amount(.bloodDensityKgPerL))
    set(\.factors.bloodBreathRatio, try file.amount(.bloodBreathRatio))
    set(\.factors.serumBloodRatio, try file.amount(.serumBloodRatio))
    set(\.breathRatioSD, try file.amount(.bloodBreathRatioSd))
    set(\.serumRatioSD, try file.amount(.serumBloodRatioSd))
    let water = try file.amount(.bloodWater, in: 0.5...1).map { BloodWater(content: $0) }
    try state(
      rFactor: file.text(.rFactor), bloodWater: water ?? .perKilogram, beta: file.text(.beta),
      betaUnit: file.unit(.betaUnit), ka: file.text(.ka), lagMinutes: file.text(.lagMin),
      absorbed: file.text(.absorbed))
  }
}

/// Keeps a refusal of the case apart from errors of decoding.
private struct DecodedCase: Decodable {
  let result: Result<Case, Problem>

  init(from decoder: any Decoder) throws {
    do {
      result = .success(try Case(from: decoder))
    } catch let failure as Problem {
      result = .failure(failure)
    }
  }
}

// MARK: - Values

extension KeyedDecodingContainer {
  /// The members of an object; nil if it is not there.
  fileprivate func members<Other: CodingKey>(
    _ key: Key, _ keys: Other.Type
  ) throws -> KeyedDecodingContainer<Other>? {
    contains(key) ? try nestedContainer(keyedBy: keys, forKey: key) : nil
  }

  fileprivate func text(_ key: Key) throws -> CaseText? {
    try decodeIfPresent(CaseText.self, forKey: key)
  }

  fileprivate func word<List>(_ key: Key) throws -> List? where Word<List>: Decodable {
    try decodeIfPresent(Word<List>.self, forKey: key)?.word
  }

  fileprivate func unit(_ key: Key) throws -> ConcentrationUnit? {
    try decodeIfPresent(WrittenUnit.self, forKey: key)?.unit
  }

  /// A number in a range, unless stated otherwise that of measures.
  fileprivate func amount(
    _ key: Key, in range: ClosedRange<Double> = Amount.range
  ) throws -> Double? {
    let number = try decodeIfPresent(Amount.self, forKey: key)?.value
    if let number, !range.contains(number) {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "out of range")
    }
    return number
  }

  /// A number, or a list of some.
  fileprivate func amounts(_ key: Key) throws -> [Double] {
    guard (try? nestedUnkeyedContainer(forKey: key)) != nil else {
      return [try decode(Amount.self, forKey: key).value]
    }
    let values = try decode([Amount].self, forKey: key).map(\.value)
    guard !values.isEmpty else {
      let location = try superDecoder(forKey: key).position.place
      throw Problem.file("\(location): \(key.stringValue) holds no number")
    }
    return values
  }
}

/// A word of a list, which is named where there is no such word.
private struct Word<List: RawRepresentable<String> & CaseIterable>: Decodable {
  let word: List

  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let word = List(rawValue: text) else {
      let (name, place) = decoder.position
      throw Problem.file(
        "\(place): \(name) is \(text.quoted); choose from "
          + List.allCases.map(\.rawValue).joined(separator: ", "))
    }
    self.word = word
  }
}

/// A unit by its name, or in words.
private struct WrittenUnit: Decodable {
  let unit: ConcentrationUnit

  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    do throws(ConcentrationUnit.Unreadable) {
      unit = try ConcentrationUnit(written: text)
    } catch {
      let (name, place) = decoder.position
      throw Problem.file("\(place): \(name): \(error)")
    }
  }
}

/// A number that a measure can be.
private struct Amount: Decodable {
  static let range = 0...1e6

  let value: Double

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    value = try container.decode(Double.self)
    guard Self.range.contains(value) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "out of range")
    }
  }
}

extension CaseText: Decodable {
  /// Decodes a text, or a number as a text: a distribution may be a plain number.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try? container.decode(String.self)
    self.init(try text ?? "\(container.decode(Double.self))", at: decoder.position.place)
  }
}
