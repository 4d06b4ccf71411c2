import AlcoholKinetics
package import Certification
package import StudyData

extension SimulatedCohort {
  /// Some of a cohort with a reading every half hour, twelve in all, by their numbers from 1; with few
  /// readings, and a limb that is often cut short, losses and profiles have much to get wrong.
  package static func sparse(_ numbers: [Int]) throws -> [Series] {
    var cohort = try SimulatedCohort(
      CohortDesign(subjects: numbers.max() ?? 0, seed: 5, readings: 12, every: 0.5))
    var people: [Series] = []
    while let person = try cohort.next() { people.append(person.series) }
    return numbers.map { people[$0 - 1] }
  }
}
