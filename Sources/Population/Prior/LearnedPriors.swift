package import AlcoholKinetics
package import Estimation
package import StudyData
import Synchronization

/// The priors of the series of a study, each updated by completed series of other subjects.
///
/// Subjects of other studies count like those of this one. Nobody learns from a subject of the same name, who may be the
/// same person.
package final class LearnedPriors: Sendable {
  /// The series of the same study that a series learns from.
  package enum Rule: String, CaseIterable, Sendable {
    /// All that are completed.
    case others
    /// Series whose occasion ended before: on an earlier day; in an earlier row, unless both days are known.
    case before
  }

  private struct Teacher: Sendable {
    let subject: String
    /// The series in the same study and its row; nil for one of another study.
    let place: (series: Series, row: Int)?
    let completed: CompletedSeries
  }

  /// The prior without learning.
  package let base: PopulationPrior
  private let rule: Rule?
  private let teachers: [Teacher]
  /// The study learned from all teachers; nil if it depends on the series which of them count.
  private let study: LearnedStudy?
  private let names: Set<String>
  /// The rows of the series of the study, by subject and occasion.
  private let rows: [[String?]: Int]
  private let priors = Mutex<[[Int]: PopulationPrior]>([:])

  /// - Parameters:
  ///   - prior: The prior that is updated.
  ///   - series: The series of the study, in the order of its rows.
  ///   - completed: For each of them, what it says if it is completed; nil for others.
  ///   - rule: Which of these a series learns from; nil for none.
  ///   - other: The completed series of another study, which every series learns from.
  ///   - name: The name of the other study.
  package init(
    _ prior: PopulationPrior, _ series: [Series] = [], completed: [CompletedSeries?] = [],
    rule: Rule? = nil, other: [CompletedSeries] = [], called name: String = ""
  ) {
    base = prior
    self.rule = rule
    let own = zip(series, completed).enumerated().compactMap { row, pair in
      pair.1.map { Teacher(subject: $0.subject, place: (pair.0, row), completed: $0) }
    }
    // What is in both counts once.
    let further = other.filter { other in
      !own.contains { $0.subject == other.subject && $0.completed.repeats(other) }
    }
    teachers =
      own
      + further.map {
        Teacher(
          subject: $0.subject, place: nil, completed: $0.renamed("\(name)/\($0.subject)"))
      }
    study =
      rule == .before
      ? nil : LearnedStudy(prior, teachers.map(\.completed), isDivided: true)
    names = Set(teachers.map(\.subject))
    rows = Dictionary(
      series.enumerated().map { ([$1.subject.id, $1.occasion], $0) }, uniquingKeysWith: { $1 })
  }

  /// The prior of a further person, who has none of their names.
  package var everybody: PopulationPrior { base.learned(from: teachers.map(\.completed)) }

  /// The prior of a series.
  package func population(of series: Series) -> PopulationPrior {
    let indices = teachers(of: series)
    if let known = priors.withLock({ $0[indices] }) { return known }
    let subjects = Set(
      teachers.lazy.filter { $0.subject == series.subject.id }.map(\.completed.subject))
    let learned =
      study?.without(subjects) ?? base.learned(from: indices.map { teachers[$0].completed })
    priors.withLock { $0[indices] = learned }
    return learned
  }

  /// The number of people whose completed series the prior of a series was learned from.
  package func peopleCount(for series: Series) -> Int {
    Set(teachers(of: series).map { teachers[$0].completed.subject }).count
  }

  /// The indices of the teachers of a series.
  private func teachers(of series: Series) -> [Int] {
    guard rule == .before || names.contains(series.subject.id) else {
      return Array(teachers.indices)
    }
    let row = rows[[series.subject.id, series.occasion]]
    return teachers.indices.filter { index in
      let teacher = teachers[index]
      guard teacher.subject != series.subject.id else { return false }
      guard rule == .before, let place = teacher.place else { return true }
      if let day = place.series.day, let own = series.day { return day.number < own.number }
      return row.map { place.row < $0 } ?? true
    }
  }
}

extension LearnedPriors: PriorSource {
  package var parameters: [FitParameter] { base.parameters }

  package func prior(of series: Series) throws(SeriesFailure) -> Prior {
    try population(of: series).prior(of: series)
  }

  package func reasonsOutside(of series: Series) -> String? { base.reasonsOutside(of: series) }
}

extension Series {
  /// The day of the occasion, if its name begins with one: 2026-05-01, or 2026-05-01.2.
  fileprivate var day: CalendarDay? { occasion.flatMap { CalendarDay(String($0.prefix(10))) } }
}
