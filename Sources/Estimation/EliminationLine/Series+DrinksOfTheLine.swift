import AlcoholKinetics
import StudyData

extension Series {
  /// The drinks whose alcohol an elimination line can be about: those since the blood was last seen
  /// empty, or all if it never was between two.
  ///
  /// It is seen empty by a reading of zero or below its limit of detection after absorption is over,
  /// for which stands ``EliminationLineOptions/limbAfter``. Readings that the study excludes are passed
  /// over.
  func drinksOfTheLine(_ options: EliminationLineOptions) -> [Drink] {
    let empty = readings.lazy.filter { !$0.isExcluded && $0.isZero }.map(\.time)
    let ends = empty.filter { time in
      let before = drinks.filter { $0.time < time }
      let absorbed = before.map { $0.end + options.limbAfter - .roundingSlack }.max()
      return absorbed.map { $0 <= time } ?? false && before.count < drinks.count
    }
    guard let last = ends.max() else { return drinks }
    return drinks.filter { $0.time >= last }
  }
}

extension Reading {
  /// Whether it shows no alcohol.
  fileprivate var isZero: Bool {
    value <= 0 || limitOfDetection.map { value < $0 } ?? false
  }
}
