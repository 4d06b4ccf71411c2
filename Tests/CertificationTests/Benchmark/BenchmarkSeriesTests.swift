import AlcoholKinetics
import Foundation
import StudyData
import Testing

@testable import Certification
@testable import Estimation

/// The made-up series that fits are timed on.
@Suite struct BenchmarkSeriesTests {
  /// Weight, the first dose in g, and the first, tenth and last reading, from made_up_series.py.
  @Test(arguments: [
    (0, 90.90169943749474, 20.498447189992433, 0.19604279375424827, 0.31169807305620834, 0.0),
    (
      199, 70.11465771130133, 13.015112168564883, 0.19472783474084, 0.6744689008407142,
      0.028762847653342756
    ),
  ])
  func benchmarkSeriesMatchThePeersData(
    index: Int, weight: Double, dose: Double, first: Double, tenth: Double, last: Double
  ) throws {
    let series = try BenchmarkSeries.madeUp(200)[index]
    let regimen = try series.regimen()
    #expect(try abs(#require(series.subject.weight).value - weight) < 1e-9)
    #expect(try abs(#require(regimen.doses.first).amount.value * weight - dose) < 1e-9)
    #expect(series.readings.count == 25)
    for (reading, expected) in [(0, first), (9, tenth), (24, last)] {
      #expect(abs(series.readings[reading].value - expected) < 1e-12)
    }
  }

  @Test func kernelAndFitterAgree() throws {
    let series = try BenchmarkSeries.madeUp(10)
    let fitter = try SeriesFitter(
      options: FitOptions(
        fixed: [.r: BenchmarkSeries.r.value], selection: ReadingSelection(censoring: .none)))
    let expected = try series.reduce(0) { try $0 + log(#require(fitter.fit($1).values[.beta])) }
    let kernel = try BenchmarkWork.fitKernel(of: series).task
    #expect(abs(kernel.run() - expected) < 1e-5)
    #expect(kernel.run() == kernel.run())
  }
}
