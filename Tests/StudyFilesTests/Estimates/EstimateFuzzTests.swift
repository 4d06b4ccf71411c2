import AlcoholKinetics
import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Nothing crashes on any bytes: a spoilt table gives estimates that keep their promises, or a
/// ``StudyError``.
@Suite struct EstimateFuzzTests {
  private static let table =
    StudySample.estimateHeader + "a,male,30,180,80,60,1.25,,0.15,0.5\nb,f,.,NA,,,,\"0.6\",,\n"

  @Test(arguments: 0..<4)
  func spoiltTablesAreReadOrRefused(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<500 {
      var bytes = Array(Self.table.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        Spoiling.mutate(&bytes, using: &generator)
      }
      do throws(StudyError) {
        let folder = StudyInput([(.estimates, Data(bytes))])
        Self.checkPromises(of: try EstimateReader.read(folder))
      } catch {
        #expect(error.diagnostics.hasError)
      }
    }
  }

  private static func checkPromises(of study: EstimateStudy) {
    #expect(!study.diagnostics.hasError)
    #expect(!study.subjects.isEmpty)
    #expect(Set(study.subjects.map(\.subject.id)).count == study.subjects.count)
    for estimate in study.subjects where estimate.firstError == nil {
      let numbers = [
        estimate.observedR?.value, estimate.c0?.value, estimate.beta60?.value,
        estimate.c0BreathMgPerL, estimate.ethanol?.value,
      ]
      #expect(numbers.compactMap { $0 }.allSatisfy { $0 > 0 && $0.isFinite })
    }
  }
}
