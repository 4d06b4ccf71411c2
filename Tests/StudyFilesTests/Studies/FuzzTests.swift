import AlcoholKinetics
import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Nothing crashes on any bytes: spoilt files give a study or a ``StudyError``, and what they give
/// keeps the promises that the types make.
@Suite struct FuzzTests {
  private static let subjects = """
    subject,sex,age_y,height_cm,weight_kg,note
    a,male,30,180,80,"x, ""y"" "
    b,f,.,NA,,\u{FC}

    """
  private static let drinks = """
    subject,occasion,time_min,duration_min,ethanol_g,volume_ml,abv_percent,ethanol_g_per_kg
    a,1,0,10,20.5,,,
    a,2,5,,,500,5,
    b,,-1e1,0,,,,0.5

    """
  private static let readings = """
    subject;occasion;time_min;bac_mg_per_100ml;lod;exclude
    a;1;30;40.25;0.5;0
    a;1;60;12345678901234567890e-19;;yes
    "b";;90;.;;

    """
  private static let descriptor = """
    {"title": "T\\u00fc", "promille": {"instrument": {"resolution": 1e-2, "name": null}}}
    """

  @Test(arguments: 0..<8)
  func spoiltFilesAreReadOrRefused(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<500 {
      let folder = Self.spoiltFolder(using: &generator)
      do throws(StudyError) {
        Self.checkPromises(of: try folder.study())
      } catch {
        #expect(error.diagnostics.hasError)
      }
    }
  }

  /// A study with a few things spoilt in one of its files.
  static func spoiltFolder(
    blockSize: Int = InputFile.defaultBlockSize, using generator: inout SeededGenerator
  ) -> StudyInput {
    let texts: [(StudyFile, String)] = [
      (.subjects, subjects), (.drinks, drinks), (.readings, readings), (.descriptor, descriptor),
    ]
    let spoilt = Int.random(in: 0..<texts.count, using: &generator)
    return StudyInput(
      texts.enumerated().map { index, file in
        var bytes = Array(file.1.utf8)
        let mutations = index == spoilt ? Int.random(in: 1...4, using: &generator) : 0
        for _ in 0..<mutations { Spoiling.mutate(&bytes, using: &generator) }
        return (file.0, Data(bytes))
      }, blockSize: blockSize)
  }

  private static func checkPromises(of study: Study) {
    #expect(!study.diagnostics.hasError)
    #expect(study.inputs.count == 4)
    for series in study.series {
      let numbers =
        series.readings.flatMap { [$0.time.value, $0.value] }
        + series.drinks.flatMap { [$0.time.value, $0.duration.value] }
      #expect(numbers.allSatisfy { $0.isFinite })
      #expect(series.drinks.map(\.time) == series.drinks.map(\.time).sorted())
      #expect(series.readings.map(\.time) == series.readings.map(\.time).sorted())
      #expect(series.firstError != nil || !series.drinks.isEmpty)
    }
  }
}
