import AlcoholKinetics

extension BenchmarkWork {
  /// When each curve of a cohort falls below 0.2 g/kg for good, from finished segments.
  static func timeToThreshold(subjects: Int) throws(KineticsError) -> Self {
    try landmark("time_to_threshold", subjects, target: .rate(12e6)) { curve in
      curve.timeToThreshold(0.2)?.value ?? 0
    }
  }

  /// When each subject of a cohort is sober, segments included.
  static func timeToSobriety(subjects: Int) throws(KineticsError) -> Self {
    let cohort = try BenchmarkCohort(subjects: subjects)
    return Self(
      Task(name: "sobriety_with_segments", count: cohort.curveCount) {
        (0..<cohort.curveCount).reduce(0) { sum, curve in
          let (regimen, parameters) = cohort.input(of: curve)
          return sum + (Trajectory(regimen, parameters).timeToThreshold(0)?.value ?? 0)
        }
      }, unit: "times")
  }

  /// The peak of each curve of a cohort, from finished segments.
  static func peak(subjects: Int) throws(KineticsError) -> Self {
    try landmark("peak", subjects) { $0.peak?.concentration.value ?? 0 }
  }

  /// The area under each curve of a cohort, from finished segments.
  static func area(subjects: Int) throws(KineticsError) -> Self {
    try landmark("area", subjects) { $0.area().value }
  }

  private static func landmark(
    _ name: String, _ subjects: Int, target: BenchmarkTarget? = nil,
    _ value: @escaping (Trajectory) -> Double
  ) throws(KineticsError) -> Self {
    let cohort = try BenchmarkCohort(subjects: subjects)
    let curves = (0..<cohort.curveCount).map { curve in
      let (regimen, parameters) = cohort.input(of: curve)
      return Trajectory(regimen, parameters)
    }
    return Self(
      Task(name: name, count: curves.count) { curves.reduce(0) { $0 + value($1) } },
      unit: "curves", target: target)
  }
}
