import AlcoholKinetics

/// The text of `datapackage.json`.
struct DataPackageText {
  /// The text; nil if there is nothing to say.
  let text: String?

  init(_ study: Study) {
    let instrument = study.instrument.map(Self.members) ?? []
    guard study.title != nil || study.instrument != nil else {
      text = nil
      return
    }
    let title = study.title.map { ["  \"title\": \($0.jsonLiteral)"] } ?? []
    let section =
      study.instrument == nil
      ? []
      : [
        "  \"promille\": {\n    \"instrument\": {"
          + instrument.map { "\n      \($0)" }.joined(separator: ",") + "\n    }\n  }"
      ]
    text = "{\n" + (title + section).joined(separator: ",\n") + "\n}\n"
  }

  private static func members(of instrument: Instrument) -> [String] {
    let numbers = [
      ("resolution", instrument.resolution),
      ("relative_accuracy", instrument.relativeAccuracy),
      ("limit_of_detection", instrument.limitOfDetection),
      ("mouth_alcohol_window_min", instrument.mouthAlcoholWindow?.minutes),
    ]
    return (instrument.name.map { ["\"name\": \($0.jsonLiteral)"] } ?? [])
      + numbers.compactMap { name, value in value.map { "\"\(name)\": \($0)" } }
  }
}
