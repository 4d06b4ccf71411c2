import AlcoholKinetics
import Foundation
import StoreSupport
import StudyData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// Studies that are put together in memory: any value is stored, reported or refused.
@Suite struct MemoryTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let numbers = [
    Double.nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude, -1e300,
    .leastNonzeroMagnitude, -0.0, 1e18, -1,
  ]

  @Test(arguments: numbers) func anyNumberIsStoredOrRefused(_ number: Double) throws {
    let changes: [(inout Study) -> Void] = [
      { $0.series[0].subject.age = Years(number) },
      { $0.series[0].subject.height = Metres(number) },
      { $0.series[0].subject.weight = Kilograms(number) },
      { $0.series[0].drinks[0].time = Hours(number) },
      { $0.series[0].drinks[0].duration = Hours(number) },
      { $0.series[0].drinks[0].ethanol = .mass(Grams(number)) },
      { $0.series[0].drinks[0].ethanol = .perBodyWeight(GramsPerKilogram(number)) },
      { $0.series[0].readings[1].time = Hours(number) },
      { $0.series[0].readings[1].value = number },
      { $0.series[0].readings[1].limitOfDetection = number },
      { $0.instrument?.resolution = number },
      { $0.instrument?.mouthAlcoholWindow = Hours(number) },
    ]
    for (index, change) in changes.enumerated() {
      var study = SmallStudy.study()
      change(&study)
      let path = folder("\(index).sqlite")
      do throws(StoreError) {
        let store = try StudyStore(path: path, for: .writing)
        try store.add(study)
        // Again, in comparison with what is there.
        try store.add(study)
        #expect(!number.isNaN)
        _ = try store.study()
      } catch {
        #expect([.value, .corrupt].contains(error.code), "\(index): \(error)")
      }
    }
  }

  @Test func anyOrderAndTextIsStoredOrRefused() throws {
    var study = SmallStudy.study()
    study.series[0].readings.reverse()
    study.series[0].drinks += study.series[0].drinks
    study.series[1].occasion = String(repeating: "\u{202E}x", count: 10_000)
    study.series.append(study.series[0])
    study.series[1].uuids.readings = (0..<100).map { _ in UUID() }
    study.series[1].diagnostics = [
      Diagnostic(
        .timeOrder, at: SourceLocation(file: "", line: .max, column: .min), message: "", remedy: "")
    ]
    let store = try StudyStore(path: folder("study.sqlite"), for: .writing)
    try store.add(study)
    try store.add(study)
    let read = try store.study()
    #expect(read.series.map(\.occasion) == study.series.dropLast().map(\.occasion))
    #expect(read.series[1].diagnostics == study.series[1].diagnostics)
  }

  /// SQLite takes no text of any length, and many programs end one at a NUL.
  @Test(arguments: [String(repeating: "x", count: 1 << 26 + 1), "a\0b"])
  func tooLongAndNULTextsAreRefused(_ text: String) throws {
    let changes: [(inout Study) -> Void] = [
      { $0.title = text }, { $0.instrument?.name = text }, { $0.series[0].occasion = text },
      { $0.series[0].subject.covariates = ["a": text] },
      { $0.inputs = [InputDigest(file: text, sha256: "")] },
    ]
    let store = try StudyStore(path: folder("study.sqlite"), for: .writing)
    for change in changes {
      var study = SmallStudy.study()
      change(&study)
      let error = #expect(throws: StoreError.self) { try store.add(study) }
      #expect(error?.code == .value)
    }
    #expect(try store.study().series.isEmpty)
  }

  @Test func duplicateUUIDIsRefused() throws {
    var study = SmallStudy.study()
    let uuid = UUID()
    study.series[0].uuids.drinks = [uuid, uuid]
    let store = try StudyStore(path: folder("study.sqlite"), for: .writing)
    let error = #expect(throws: StoreError.self) { try store.add(study) }
    #expect(error?.code == .value)
  }
}
