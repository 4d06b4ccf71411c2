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
      try root.required("question", try word(root, "question", CaseQuestion.self)))
    draft.name = try root.string("name")
    draft.number = try root.string("case_number")
    draft.author = try root.string("author")
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
      draft.duplicateLimitPercent =
        try number(measurement, "duplicate_limit_percent") ?? draft.duplicateLimitPercent
      draft.measuredSD = try number(measurement, "sd") ?? 0
      draft.measuredUnit = try measurement.required(
        "unit", try word(measurement, "unit", ConcentrationUnit.self))
    }
    draft.answerUnit = try word(root, "answer_unit", ConcentrationUnit.self)
    for node in try root.list("limits") ?? [] {
      guard case .number(let limit) = node.value else {
        throw DescriptorProblem(place: node.place, message: "a limit is not a number")
      }
      draft.limits.append(limit)
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
    draft.person.sex = try word(person, "sex", Sex.self)
    draft.person.age = try number(person, "age_y").map { Years($0) }
    draft.person.height = try number(person, "height_cm").map { Metres(centimetres: $0) }
    draft.person.weight = try number(person, "weight_kg").map { Kilograms($0) }
    draft.heightSD = try number(person, "height_sd_cm") ?? 0
    draft.weightSD = try number(person, "weight_sd_kg") ?? 0
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
      "r_factor", "r_cv_percent", "beta", "beta_population", "guideline", "ka", "lag_min",
      "stomach",
      "absorption", "absorbed_after_min",
      "lowest_g_per_kg", "blood_water", "blood_density_kg_per_l", "blood_breath_ratio",
      "blood_breath_ratio_sd", "serum_blood_ratio", "serum_blood_ratio_sd",
    ])
    draft.rFactor = try stated(object, "r_factor")
    draft.beta = try stated(object, "beta")
    draft.ka = try stated(object, "ka")
    draft.lagMinutes = try stated(object, "lag_min")
    if let content = try object.number("blood_water", where: { 0.5...1 ~= $0 }) {
      draft.bloodWater = BloodWater(content: content)
    }
    var made = CaseAssumptions()
    made.rCV = try number(object, "r_cv_percent").map { $0 / 100 }
    made.betaPopulation =
      try word(object, "beta_population", BetaPopulation.self) ?? made.betaPopulation
    made.guideline = try word(object, "guideline", CaseGuideline.self)
    made.stomach = try word(object, "stomach", CaseAssumptions.Stomach.self) ?? made.stomach
    made.absorption =
      try word(object, "absorption", CaseAssumptions.Absorption.self) ?? made.absorption
    made.absorbedAfter =
      try number(object, "absorbed_after_min").map { Hours(minutes: $0) } ?? made.absorbedAfter
    made.lowest = try number(object, "lowest_g_per_kg").map { GramsPerKilogram($0) } ?? made.lowest
    made.factors.bloodDensityKgPerL =
      try number(object, "blood_density_kg_per_l") ?? made.factors.bloodDensityKgPerL
    if let ratio = try number(object, "blood_breath_ratio") {
      made.factors.bloodBreathRatio = ratio
      made.isBreathRatioStated = true
    }
    made.factors.serumBloodRatio =
      try number(object, "serum_blood_ratio") ?? made.factors.serumBloodRatio
    made.breathRatioSD = try number(object, "blood_breath_ratio_sd") ?? 0
    made.serumRatioSD = try number(object, "serum_blood_ratio_sd") ?? 0
    draft.assumptions = made
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
    _ object: JSONObject, _ key: String, _ type: Word.Type
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
