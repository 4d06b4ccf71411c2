import AlcoholKinetics
import Foundation
import StoreSupport
import StudyData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// Any value of any type in a field of a database is reported, or it is a possible one. Nothing ends the process,
/// hangs, or is silently something else.
@Suite(.timeLimit(.minutes(10))) struct MutationTests {
  private let folder: TemporaryFolder
  private let whole: String

  init() throws {
    folder = try TemporaryFolder()
    whole = folder("whole.sqlite")
    try StudyStore.change(whole) { store in
      var study = SmallStudy.study()
      study.series[0].occasion = "2024-05-01"
      study.series[0].uuids.drinks = [UUID()]
      study.series[0].subject.covariates = ["fed": "yes"]
      study.series[1].diagnostics = [
        Diagnostic(
          .timeOrder, at: SourceLocation(file: "a", line: 1, column: 2), message: "m", remedy: "r")
      ]
      try store.add(study)
    }
  }

  @Test func alteredFieldsAreReadOrReported() throws {
    let sound = try StudyStore(path: whole, for: .reading).study()
    let bytes = try Data(contentsOf: URL(filePath: whole))
    var generator = SeededGenerator(seed: 12)
    let fields = try StoredField.all(in: whole)
    let all = fields.flatMap { field in StoredField.values.map { (field, $0) } }
    var tally = (refused: 0, found: 0, taken: 0)
    for (field, value) in all.shuffled(using: &generator).prefix(200) {
      let path = folder("mutated.sqlite")
      try folder.write(bytes, to: "mutated.sqlite")
      guard try field.set(value, in: path) else { continue }
      let name = "\(field.table).\(field.column) = \(value)"
      do throws(StoreError) {
        let store = try StudyStore(path: path, for: .reading)
        let study = try store.study()
        let hasError = study.series.contains { $0.firstError != nil }
        tally.found += hasError ? 1 : 0
        tally.taken += hasError ? 0 : 1
        if !hasError { expectPossible(study, like: sound, name) }
      } catch {
        tally.refused += 1
        #expect(
          [.corrupt, .foreign, .newer, .older, .missing].contains(error.code),
          "\(name): \(error)")
      }
      do throws(StoreError) {
        let store = try StudyStore(path: path, for: .changing)
        try store.add(SmallStudy.study())
      } catch {
        #expect(error.code != .failed, "\(name): \(error)")
      }
    }
    #expect(tally.refused > 40 && tally.found > 1 && tally.taken > 15, "\(tally)")
  }

  /// An independent word on what can be true.
  private func expectPossible(_ study: Study, like sound: Study, _ name: String) {
    #expect(study.series.count == sound.series.count, "\(name)")
    #expect(study.series.map(\.drinks.count) == sound.series.map(\.drinks.count), "\(name)")
    #expect(study.series.map(\.readings.count) == sound.series.map(\.readings.count), "\(name)")
    for series in study.series {
      #expect(series.subject.age.map { 0...130 ~= $0.value } ?? true, "\(name)")
      #expect(series.subject.height.map { 0.5...2.6 ~= $0.value } ?? true, "\(name)")
      #expect(series.subject.weight.map { 20...400 ~= $0.value } ?? true, "\(name)")
      for drink in series.drinks {
        #expect(abs(drink.time.value) < 17_000 && 0...17_000 ~= drink.duration.value, "\(name)")
        #expect(0...5000 ~= drink.ethanol.mass(forBodyWeight: 60)?.value ?? -1, "\(name)")
      }
      for reading in series.readings {
        #expect(abs(reading.time.value) < 17_000 && reading.value.isFinite, "\(name)")
        #expect(reading.isExcluded || reading.value >= 0, "\(name)")
        #expect(reading.limitOfDetection.map { $0 >= 0 && $0.isFinite } ?? true, "\(name)")
      }
    }
  }
}
