import Foundation
import StoreSupport
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// Reading a database of any bytes gives a study or a ``StoreError``, and no crash.
@Suite struct SpoiltDatabaseTests {
  private let folder: TemporaryFolder
  private let whole: [UInt8]

  init() throws {
    folder = try TemporaryFolder()
    try StudyStore.change(folder("whole.sqlite")) { store in
      var study = RandomStudy(seed: 3)
      try store.add(study.make())
    }
    whole = Array(try Data(contentsOf: URL(filePath: folder("whole.sqlite"))))
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func spoiltBytesAreReadOrRefused(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<25 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...30, using: &generator) {
        let index = Int.random(in: 100..<bytes.count, using: &generator)
        bytes[index] = UInt8.random(in: 0...255, using: &generator)
      }
      try folder.write(Data(bytes), to: "spoilt.sqlite")
      do throws(StoreError) {
        let store = try StudyStore(path: folder("spoilt.sqlite"), for: .reading)
        _ = try store.study()
      } catch {
        #expect(!error.message.isEmpty)
      }
      do throws(StoreError) {
        let store = try StudyStore(path: folder("spoilt.sqlite"), for: .changing)
        var study = RandomStudy(seed: 3)
        try store.add(study.make())
      } catch {
        #expect(!error.message.isEmpty)
      }
    }
  }
}
