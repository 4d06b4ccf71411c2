import AlcoholKinetics
import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Series that no file holds are checked as those of files are.
@Suite struct SeriesValuesTests {
  private static let sound = Series(
    subject: Subject(id: "ann", sex: .female, age: 30, height: 1.65, weight: 60),
    drinks: [Drink(time: 0, ethanol: .mass(40)), Drink(time: 1, ethanol: .perBodyWeight(0.2))],
    readings: (1...4).map {
      Reading(time: Hours(Double($0)), value: 0.5, unit: .bloodGramsPerKilogram)
    })

  private func codes(_ change: (inout Series) -> Void) -> [DiagnosticCode] {
    var series = Self.sound
    change(&series)
    return series.valueErrors.map(\.code)
  }

  @Test func validSeriesHaveNoErrors() throws {
    #expect(Self.sound.valueErrors.isEmpty)
    for sample in [StudySample()] {
      #expect(try sample.read().series.allSatisfy(\.valueErrors.isEmpty))
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func nonFiniteNumbersAreErrors(_ number: Double) {
    let found = [
      codes { $0.subject.age = Years(number) }, codes { $0.subject.height = Metres(number) },
      codes { $0.subject.weight = Kilograms(number) }, codes { $0.drinks[1].time = Hours(number) },
      codes { $0.drinks[1].duration = Hours(number) },
      codes { $0.drinks[1].ethanol = .mass(Grams(number)) },
      codes { $0.drinks[1].ethanol = .perBodyWeight(GramsPerKilogram(number)) },
      codes { $0.readings[3].time = Hours(abs(number)) }, codes { $0.readings[1].value = number },
      codes { $0.readings[1].limitOfDetection = number },
    ]
    for codes in found { #expect(codes == [.number]) }
  }

  @Test func numbersOutOfRangeAreErrors() {
    #expect(codes { $0.subject.age = -1 } == [.range])
    #expect(codes { $0.subject.height = 18 } == [.range])
    #expect(codes { $0.subject.weight = 0 } == [.range])
    #expect(codes { $0.drinks[0].time = -20_000 } == [.range])
    #expect(codes { $0.drinks[0].duration = -1 } == [.range])
    #expect(codes { $0.drinks[0].ethanol = .mass(-1) } == [.range])
    #expect(codes { $0.drinks[0].ethanol = .mass(5001) } == [.range])
    #expect(codes { $0.drinks[0].ethanol = .perBodyWeight(51) } == [.range])
    #expect(codes { $0.readings[0].value = -0.1 } == [.range])
    #expect(codes { $0.readings[0].limitOfDetection = -0.1 } == [.range])
    // What is left out may be as odd as it is.
    #expect(
      codes {
        $0.readings[0].value = .nan
        $0.readings[0].isExcluded = true
      }.isEmpty)
  }

  @Test func unorderedAndDistantReadingsAreErrors() {
    #expect(codes { $0.readings.swapAt(1, 2) } == [.time])
    #expect(codes { $0.drinks.swapAt(0, 1) }.isEmpty)
    #expect(codes { $0.readings[0].time = -12 } == [.time])
    #expect(
      codes {
        $0.readings[0].time = -12
        $0.readings[0].value = 0
      }.isEmpty)
  }

  @Test func errorsNameSeriesAndValue() {
    var series = Self.sound
    series.occasion = "2"
    series.readings[1].value = -0.1
    #expect(
      series.valueErrors.first?.description
        == "subject \"ann\", occasion \"2\": error E_RANGE: the value of reading 2 is -0.1; "
        + "it must be 0 or more")
  }

  @Test func sortingKeepsUUIDsWithTheirRecords() {
    var generator = SeededGenerator(seed: 3)
    var series = Self.sound
    let ids = (0..<3).map { _ in
      UUID(
        uuid: unsafeBitCast(
          (generator.next(), generator.next()), to: uuid_t.self))
    }
    series.uuids = GivenUUIDs(drinks: [nil, ids[0]], readings: [ids[1], nil, nil, ids[2]])
    var shuffled = series
    shuffled.drinks.swapAt(0, 1)
    shuffled.readings.swapAt(0, 3)
    shuffled.readings.swapAt(1, 2)
    shuffled.uuids = GivenUUIDs(drinks: [ids[0], nil], readings: [ids[2], nil, nil, ids[1]])
    #expect(shuffled.inOrderOfTime == series)
    #expect(series.inOrderOfTime == series)
  }
}
