import AlcoholKinetics
import Foundation
package import StudyData

/// A study as a JSON document, with the names and units of study files, and `null` for a missing value.
package struct StudyDocument {
  /// Whether a path has the extension `.json`.
  package static func isNamed(_ path: String) -> Bool { path.lowercased().hasSuffix(".json") }

  let file: InputFile

  /// Reads the study, checked like study files.
  ///
  /// - Throws: `StudyError` if the file cannot be read, is not valid JSON or does not have the form of a study.
  package func study() throws(StudyError) -> Study {
    file.takeDigest()
    var study = try file.json(remedy: "write it as promille export --to json does") {
      node throws(DescriptorProblem) in
      try Self.study(node, called: file.path)
    }
    study.inputs = [file.digest].compactMap(\.self)
    return study
  }

  private static func study(
    _ node: JSONNode, called path: String
  ) throws(DescriptorProblem) -> Study {
    let root = try JSONObject(node, called: "the study", ignoringNull: true)
    let series = try root.required("series", try root.objects("series"))
    let checked = Study.checked(try series.map(self.series))
    return Study(
      name: try root.string("name") ?? path, title: try root.string("title"),
      instrument: try root.object("instrument").map(DataPackage.instrument(from:)),
      series: checked.series, diagnostics: checked.findings)
  }

  private static func series(_ object: JSONObject) throws(DescriptorProblem) -> Series {
    let subject = try subject(object.required("subject", try object.object("subject")))
    let drinks = try object.objects("drinks") ?? []
    let readings = try object.objects("readings") ?? []
    var series = Series(
      subject: subject, occasion: try object.string("occasion"), drinks: try drinks.map(drink),
      readings: try readings.map(reading),
      uuids: GivenUUIDs(drinks: try drinks.map(uuid), readings: try readings.map(uuid)))
    for (index, reading) in readings.enumerated() {
      series.sources[index] = try reading.string("source")
    }
    return series
  }

  private static func subject(_ object: JSONObject) throws(DescriptorProblem) -> Subject {
    let covariates = try object.object("covariates")
    return Subject(
      id: try object.required("subject", try object.string("subject")),
      sex: try object.named("sex", Sex.self), age: try object.number("age_y").map { Years($0) },
      height: try object.number("height_cm").map { Metres(centimetres: $0) },
      weight: try object.number("weight_kg").map { Kilograms($0) },
      covariates: try covariates?.allStrings ?? [:])
  }

  private static func drink(_ object: JSONObject) throws(DescriptorProblem) -> Drink {
    let perKilogram = try object.number("ethanol_g_per_kg")
    let ethanol: EthanolDose =
      if let perKilogram {
        .perBodyWeight(GramsPerKilogram(perKilogram))
      } else {
        .mass(Grams(try object.required("ethanol_g", try object.number("ethanol_g"))))
      }
    return Drink(
      time: try time(object), duration: Hours(minutes: try object.number("duration_min") ?? 0),
      ethanol: ethanol, route: try object.named("route", Route.self) ?? .oral)
  }

  private static func reading(_ object: JSONObject) throws(DescriptorProblem) -> Reading {
    Reading(
      time: try time(object), value: try object.required("value", try object.number("value")),
      unit: try object.required("unit", try object.named("unit", ConcentrationUnit.self)),
      limitOfDetection: try object.number("lod"), isExcluded: try object.bool("exclude") ?? false)
  }

  private static func time(_ object: JSONObject) throws(DescriptorProblem) -> Hours {
    Hours(minutes: try object.required("time_min", try object.number("time_min")))
  }

  private static func uuid(_ object: JSONObject) throws(DescriptorProblem) -> UUID? {
    guard let text = try object.string("uuid") else { return nil }
    guard let uuid = UUID(uuidString: text) else {
      throw DescriptorProblem(place: object.place(of: "uuid"), message: "uuid is not a UUID")
    }
    return uuid
  }
}

extension JSONObject {
  fileprivate func number(_ key: String) throws(DescriptorProblem) -> Double? {
    try number(key) { _ in true }
  }

  /// Returns a member that is a list of objects; nil if it is missing.
  fileprivate func objects(_ key: String) throws(DescriptorProblem) -> [JSONObject]? {
    try list(key)?.map { node throws(DescriptorProblem) in
      try JSONObject(node, called: "an element of \(key)", ignoringNull: true)
    }
  }

  /// Returns a member that is one of several words; nil if it is missing.
  fileprivate func named<Value: RawRepresentable<String> & CaseIterable>(
    _ key: String, _ type: Value.Type
  ) throws(DescriptorProblem) -> Value? {
    guard let text = try string(key) else { return nil }
    guard let value = Value(rawValue: text) else {
      let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw DescriptorProblem(
        place: place(of: key), message: "\(key) is \(text.quoted), and not one of \(words)")
    }
    return value
  }
}
