import TestSupport

extension TemporaryFolder {
  /// Writes a whole study.
  func write(_ sample: StudySample) throws {
    try write(sample.subjects, to: "subjects.csv")
    try write(sample.drinks, to: "drinks.csv")
    if let readings = sample.readings { try write(readings, to: "readings.csv") }
    if let descriptor = sample.descriptor { try write(descriptor, to: "datapackage.json") }
  }
}
