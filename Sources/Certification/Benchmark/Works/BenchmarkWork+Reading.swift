import Estimation
import Foundation
import StudyData
import StudyFiles

extension BenchmarkWork {
  /// Reading a simulated cohort: many subjects with few readings, and as many readings of few
  /// subjects. The reference is the time of C's `strtod` on the same bytes, without any checks.
  static func reading(readings: Int) throws(SeriesFailure) -> [Self] {
    let many = try CohortBytes(readings: readings, each: 25)
    let few = try CohortBytes(readings: readings, each: 1000)
    return [
      Self(
        many.reading("read_many_subjects"), unit: "bytes", reference: many.conversion,
        target: .rate(200e6)),
      Self(
        few.reading("read_few_subjects"), unit: "bytes", reference: few.conversion,
        target: .rate(200e6)),
    ]
  }
}

/// The files of a cohort.
private struct CohortBytes {
  private let tables: [[UInt8]]
  private let count: Int

  init(readings: Int, each: Int) throws(SeriesFailure) {
    let design = CohortDesign(subjects: max(1, readings / each), readings: each)
    var people = try SimulatedCohort(design)
    var text = CohortText(design)
    while let person = try people.next() { text.append(person) }
    tables = text.texts.prefix(3).map(\.bytes)
    count = tables.reduce(0) { $0 + $1.count }
  }

  /// Converts all numbers by C's `strtod`, and nothing else.
  var conversion: BenchmarkWork.Task {
    let texts = tables.map { $0 + [0] }
    return BenchmarkWork.Task(name: "strtod", count: count) {
      texts.reduce(0) { $0 + Self.sumOfNumbers(in: $1) }
    }
  }

  /// - Parameter text: Ends in a NUL.
  private static func sumOfNumbers(in text: [UInt8]) -> Double {
    text.withUnsafeBytes { bytes in
      var position = 0
      var sum = 0.0
      while let start = bytes.baseAddress, position < bytes.count {
        let number = (start + position).assumingMemoryBound(to: CChar.self)
        var end: UnsafeMutablePointer<CChar>?
        let isDigit = UInt8(bitPattern: number.pointee) &- UInt8(ascii: "0") < 10
        if isDigit { sum += strtod(number, &end) }
        position += max(1, end.map { UnsafePointer($0) - number } ?? 0)
      }
      return sum
    }
  }

  /// Reads and validates all files once, series by series.
  func reading(_ name: String) -> BenchmarkWork.Task {
    BenchmarkWork.Task(name: name, count: count) {
      let reader = StudyReader(subjects: tables[0], drinks: tables[1], readings: tables[2])
      guard var stream = try? reader.stream() else { return .nan }
      var sum = 0
      while let series = try? stream.next() { sum += series.readings.count }
      return Double(sum)
    }
  }
}
