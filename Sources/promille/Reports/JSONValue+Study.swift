import AlcoholKinetics
import Foundation
import Reporting
import StudyData
import StudyFiles

extension JSONValue {
  /// A study as one document, with the names and units of study files.
  init(_ study: Study) {
    self = [
      "schema_version": .integer(Report.schemaVersion), "name": .string(study.name),
      "title": JSONValue(study.title),
      "instrument": study.instrument.map(JSONValue.init) ?? .null,
      "series": .array(study.series.map(JSONValue.init)),
    ]
  }

  private init(_ instrument: Instrument) {
    self = [
      "name": JSONValue(instrument.name), "resolution": JSONValue(instrument.resolution),
      "relative_accuracy": JSONValue(instrument.relativeAccuracy),
      "limit_of_detection": JSONValue(instrument.limitOfDetection),
      "mouth_alcohol_window_min": JSONValue(instrument.mouthAlcoholWindow?.minutes),
    ]
  }

  private init(_ series: Series) {
    let drinks = series.drinks.enumerated().map { JSONValue($1, series.uuids.drink($0)) }
    let readings = series.readings.enumerated().map { JSONValue($1, series.uuids.reading($0)) }
    self = [
      "subject": JSONValue(series.subject), "occasion": JSONValue(series.occasion),
      "drinks": .array(drinks), "readings": .array(readings),
    ]
  }

  private init(_ subject: Subject) {
    let covariates = subject.covariates.sorted { $0.key < $1.key }
    self = [
      "subject": .string(subject.id), "sex": JSONValue(subject.sex?.rawValue),
      "age_y": JSONValue(subject.age?.value), "height_cm": JSONValue(subject.height?.centimetres),
      "weight_kg": JSONValue(subject.weight?.value),
      "covariates": .object(covariates.map { ($0.key, .string($0.value)) }),
    ]
  }

  private init(_ drink: Drink, _ uuid: UUID?) {
    let dose: (key: String, value: JSONValue) =
      switch drink.ethanol {
      case .mass(let grams): ("ethanol_g", .number(grams.value))
      case .perBodyWeight(let dose): ("ethanol_g_per_kg", .number(dose.value))
      }
    let times: Members = [
      ("time_min", .number(drink.time.minutes)), ("duration_min", .number(drink.duration.minutes)),
    ]
    let route: Members = drink.route == .oral ? [] : [("route", .string(drink.route.rawValue))]
    self = .object(times + [dose] + route + Self.member(uuid))
  }

  private init(_ reading: Reading, _ uuid: UUID?) {
    self = .object(
      [
        ("time_min", .number(reading.time.minutes)), ("value", .number(reading.value)),
        ("unit", .string(reading.unit.rawValue)), ("lod", JSONValue(reading.limitOfDetection)),
        ("exclude", .bool(reading.isExcluded)),
      ] + Self.member(uuid))
  }

  /// The member of a record with its UUID, which only a record has that was given one.
  private static func member(_ uuid: UUID?) -> Members {
    uuid.map { [("uuid", .string($0.text))] } ?? []
  }
}
