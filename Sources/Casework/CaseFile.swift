import AlcoholKinetics
import StudyData
import StudyFiles

extension CaseDraft {
  /// Reads a case in JSON, as `schemas/case-file.schema.json` has it.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - path: Its name, for messages.
  /// - Throws: ``CaseFailure/file(_:)`` with line and column.
  public init(json bytes: UnsafeRawBufferPointer, path: String) throws(CaseFailure) {
    do throws(DescriptorProblem) {
      let root = try JSONObject(try JSONReader.read(file: bytes), called: "the case")
      self = try CaseReader(path: path).draft(root)
    } catch {
      throw .file("\(path):\(error.place.line):\(error.place.column): \(error.message)")
    }
  }
}

extension CaseDraft {
  /// Takes a part that is stated; otherwise it stays what it is.
  fileprivate mutating func set<Value>(_ part: WritableKeyPath<Self, Value>, _ value: Value?) {
    if let value { self[keyPath: part] = value }
  }
}

private struct CaseReader {
  let path: String

  func draft(_ root: JSONObject) throws(DescriptorProblem) -> CaseDraft {
    try root.refuseUnknown(besides: [
      "question", "name", "case_number", "author", "date", "time_zone", "at", "person", "drinks",
      "drinking", "measurement",
      "answer_unit",
      "limits", "assumptions",
    ])
    var draft = CaseDraft(
      try root.required("question", try word(root, "question")))
    draft.one.name = try root.string("name")
    draft.one.number = try root.string("case_number")
    draft.one.author = try root.string("author")
    draft.date = try stated(root, "date")
    draft.timeZone = try stated(root, "time_zone")
    draft.at = try stated(root, "at")
    try readPerson(root, into: &draft)
    for node in try root.list("drinks") ?? [] {
      let name = "drink \(draft.drinks.count + 1)"
      draft.drinks.append(try drink(try JSONObject(node, called: name)))
    }
    if let drinking = try root.object("drinking") {
      try drinking.refuseUnknown(besides: ["began", "ended"])
      draft.began = try stated(drinking, "began")
      draft.ended = try stated(drinking, "ended")
    }
    if let measurement = try root.object("measurement") {
      try measurement.refuseUnknown(besides: [
        "time", "value", "sd", "unit", "duplicate_limit_percent",
      ])
      draft.measuredAt = try measurement.required("time", try stated(measurement, "time"))
      draft.measured = try measurement.required("value", try numbers(measurement, "value"))
      draft.set(\.duplicateLimitPercent, try number(measurement, "duplicate_limit_percent"))
      draft.measuredSD = try number(measurement, "sd") ?? 0
      draft.measuredUnit = try measurement.required(
        "unit", try word(measurement, "unit"))
    }
    draft.answerUnit = try word(root, "answer_unit")
    for node in try root.list("limits") ?? [] {
      guard case .number(let limit) = node.value else {
        throw DescriptorProblem(place: node.place, message: "a limit is not a number")
      }
      draft.one.limits.append(limit)
    }
    try readAssumptions(root, into: &draft)
    return draft
  }

  private func readPerson(_ root: JSONObject, into draft: inout CaseDraft) throws(DescriptorProblem)
  {
    guard let person = try root.object("person") else { return }
    try person.refuseUnknown(besides: [
      "sex", "age_y", "height_cm", "height_sd_cm", "weight_kg", "weight_sd_kg",
    ])
    draft.one.person = Subject(
      id: draft.one.person.id, sex: try word(person, "sex"),
      age: try number(person, "age_y").map { Years($0) },
      height: try number(person, "height_cm").map { Metres(centimetres: $0) },
      weight: try number(person, "weight_kg").map { Kilograms($0) })
    draft.set(
      \.one.heightSD, try number(person, "height_sd_cm").map { Metres(centimetres: $0) })
    draft.set(\.one.weightSD, try number(person, "weight_sd_kg").map { Kilograms($0) })
  }

  private func drink(_ object: JSONObject) throws(DescriptorProblem) -> CaseDraft.StatedDrink {
    try object.refuseUnknown(besides: [
      "time", "until", "volume_ml", "volume_cv_percent", "abv_percent", "abv_sd_percent",
      "ethanol_g",
      "ethanol_sd_g", "later",
    ])
    return CaseDraft.StatedDrink(
      time: try object.required("time", try stated(object, "time")),
      until: try stated(object, "until"),
      volume: try number(object, "volume_ml"),
      volumeCVPercent: try number(object, "volume_cv_percent"),
      abvPercent: try number(object, "abv_percent"),
      abvSDPercent: try number(object, "abv_sd_percent"), ethanol: try number(object, "ethanol_g"),
      ethanolSD: try number(object, "ethanol_sd_g"), isLater: try object.bool("later") ?? false)
  }

  private func readAssumptions(
    _ root: JSONObject, into draft: inout CaseDraft
  ) throws(DescriptorProblem) {
    guard let object = try root.object("assumptions") else { return }
    try object.refuseUnknown(besides: [
      "r_factor", "r_unit", "r_cv_percent", "beta", "beta_unit", "beta_population", "guideline",
      "ka",
      "lag_min", "absorbed",
      "stomach",
      "absorption", "absorbed_after_min",
      "lowest_g_per_kg", "blood_water", "blood_density_kg_per_l", "blood_breath_ratio",
      "blood_breath_ratio_sd", "serum_blood_ratio", "serum_blood_ratio_sd",
    ])
    draft.rFactor = try stated(object, "r_factor")
    draft.beta = try stated(object, "beta")
    draft.betaUnit = try word(object, "beta_unit")
    draft.absorbed = try stated(object, "absorbed")
    draft.ka = try stated(object, "ka")
    draft.lagMinutes = try stated(object, "lag_min")
    if let content = try object.number("blood_water", where: { 0.5...1 ~= $0 }) {
      draft.bloodWater = BloodWater(content: content)
    }
    draft.one.assumptions.rUnit = try word(object, "r_unit")
    draft.one.assumptions.rCV = try number(object, "r_cv_percent").map { $0 / 100 }
    draft.set(\.one.assumptions.betaPopulation, try word(object, "beta_population"))
    draft.one.assumptions.guideline = try word(object, "guideline")
    draft.set(\.one.assumptions.stomach, try word(object, "stomach"))
    draft.set(\.one.assumptions.absorption, try word(object, "absorption"))
    draft.set(
      \.one.assumptions.absorbedAfter,
      try number(object, "absorbed_after_min").map { Hours(minutes: $0) })
    draft.set(
      \.one.assumptions.lowest,
      try number(object, "lowest_g_per_kg").map { GramsPerKilogram($0) })
    draft.set(
      \.one.assumptions.factors.bloodDensityKgPerL, try number(object, "blood_density_kg_per_l"))
    let ratio = try number(object, "blood_breath_ratio")
    draft.set(\.one.assumptions.factors.bloodBreathRatio, ratio)
    draft.one.assumptions.isBreathRatioStated = ratio != nil
    draft.set(
      \.one.assumptions.factors.serumBloodRatio, try number(object, "serum_blood_ratio"))
    draft.set(\.one.assumptions.breathRatioSD, try number(object, "blood_breath_ratio_sd"))
    draft.set(\.one.assumptions.serumRatioSD, try number(object, "serum_blood_ratio_sd"))
  }

  /// A text, or a number as a text, with its place.
  private func stated(_ object: JSONObject, _ key: String) throws(DescriptorProblem) -> CaseDraft
    .Stated?
  {
    let place = object.place(of: key)
    let text: String?
    do throws(DescriptorProblem) {
      text = try object.string(key)
    } catch {
      // A distribution may be a plain number.
      text = try object.number(key) { _ in true }.map { "\($0)" }
    }
    return text.map { CaseDraft.Stated($0, at: "\(path):\(place.line):\(place.column)") }
  }

  private func number(_ object: JSONObject, _ key: String) throws(DescriptorProblem) -> Double? {
    try object.number(key) { $0 >= 0 && $0 <= 1e6 }
  }

  /// A number, or a list of some.
  private func numbers(_ object: JSONObject, _ key: String) throws(DescriptorProblem) -> [Double]? {
    let nodes: [JSONNode]
    do throws(DescriptorProblem) {
      guard let list = try object.list(key) else { return nil }
      nodes = list
    } catch {
      return try number(object, key).map { [$0] }
    }
    var numbers: [Double] = []
    for node in nodes {
      guard case .number(let number) = node.value, number >= 0, number <= 1e6 else {
        throw DescriptorProblem(
          place: node.place, message: "\(key) holds what is not a number of 0 or more")
      }
      numbers.append(number)
    }
    guard !numbers.isEmpty else {
      throw DescriptorProblem(place: object.place(of: key), message: "\(key) holds no number")
    }
    return numbers
  }

  private func word<Word: RawRepresentable & CaseIterable>(
    _ object: JSONObject, _ key: String
  ) throws(DescriptorProblem) -> Word? where Word.RawValue == String {
    guard let text = try object.string(key) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw DescriptorProblem(
        place: object.place(of: key),
        message: "\(key) is \(text.quoted); choose from "
          + Word.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return word
  }
}
