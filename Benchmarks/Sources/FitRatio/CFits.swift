import AlcoholKinetics
import CReference
import Certification
import StudyData

/// The fits of promille's benchmark, in C.
final class CFits {
  private let series: [cfit_series]
  private let memory: [UnsafeMutablePointer<Double>]
  private let solver: OpaquePointer

  /// Lays out series of the same size; nil if there is no memory.
  ///
  /// - Parameter followsOnce: Whether a curve is followed once for residuals and derivatives.
  init?(_ all: [Series], followsOnce: Bool) throws {
    var memory: [UnsafeMutablePointer<Double>] = []
    func keep(_ values: [Double]) -> UnsafePointer<Double> {
      let copy = UnsafeMutablePointer<Double>.allocate(capacity: max(1, values.count))
      copy.initialize(from: values, count: values.count)
      memory.append(copy)
      return UnsafePointer(copy)
    }
    series = try all.map { one in
      let doses = try Regimen(one.drinks, bodyWeight: one.subject.weight).doses
      return cfit_series(
        readings: Int32(one.readings.count), times: keep(one.readings.map(\.time.value)),
        values: keep(one.readings.map(\.value)), drinks: Int32(doses.count),
        starts: keep(doses.map(\.start.value)),
        doses: keep(doses.map { $0.amount.value / BenchmarkSeries.r.value }))
    }
    self.memory = memory
    guard let solver = cfit_alloc(series.first?.readings ?? 2, 2, followsOnce) else { return nil }
    self.solver = solver
  }

  deinit {
    cfit_free(solver)
    for copy in memory { copy.deallocate() }
  }

  /// Fits all from k_a 6 /h and beta 0.15 g/kg/h; the sum of the logarithms of beta.
  func run() -> Double {
    var sum = 0.0
    var covariance = [0.0, 0, 0, 0]
    for index in series.indices {
      var one = series[index]
      var coordinates = [1.791_759_469_228_055, -1.897_119_984_885_881_3]
      _ = cfit_solve(solver, &one, 0, &coordinates, &covariance)
      sum += coordinates[1]
    }
    return sum
  }
}
