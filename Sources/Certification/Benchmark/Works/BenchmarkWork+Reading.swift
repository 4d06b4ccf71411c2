import Estimation
import StudyData

extension BenchmarkWork {
  /// Reading a simulated cohort: one of many subjects with few readings, and as many readings of few
  /// subjects.
  static func reading(readings: Int) throws(SeriesFailure) -> [Self] {
    let many = try CohortBytes(readings: readings, each: 25)
    let few = try CohortBytes(readings: readings, each: 1000)
    return [
      Self(many.checking("check_many_subjects"), unit: "bytes", target: .rate(600e6)),
      Self(many.reading("read_many_subjects"), unit: "bytes"),
      Self(few.checking("check_few_subjects"), unit: "bytes", target: .rate(600e6)),
      Self(few.reading("read_few_subjects"), unit: "bytes"),
    ]
  }
}

/// The files of a cohort.
private struct CohortBytes {
  private let study: StudyInMemory
  private let count: Int

  init(readings: Int, each: Int) throws(SeriesFailure) {
    let design = CohortDesign(subjects: max(1, readings / each), readings: each)
    var people = try SimulatedCohort(design)
    var text = CohortText(design)
    while let person = try people.next() { text.append(person) }
    let tables = text.texts.prefix(3).map(\.bytes)
    study = StudyInMemory(subjects: tables[0], drinks: tables[1], readings: tables[2])
    count = tables.reduce(0) { $0 + $1.count }
  }

  /// Reads and validates everything, once.
  func checking(_ name: String) -> BenchmarkWork.Task {
    BenchmarkWork.Task(name: name, count: count) {
      (try? study.stream())?.count.map(Double.init) ?? .nan
    }
  }

  /// Does so, and reads everything again to give out the series.
  func reading(_ name: String) -> BenchmarkWork.Task {
    BenchmarkWork.Task(name: name, count: count) {
      guard var stream = try? study.stream() else { return .nan }
      var sum = 0
      while let series = try? stream.next() { sum += series.readings.count }
      return Double(sum)
    }
  }
}
