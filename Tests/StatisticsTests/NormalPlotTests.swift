import Statistics
import Testing

@Suite struct NormalPlotTests {
  /// SciPy: `norm.ppf((arange(1, 6) - 0.375) / 5.25)`.
  @Test func quantilesUseBlomsPositions() {
    let plot = NormalPlot([3, 1, 2, 5, 4])
    let expected = [
      -1.1797611176118603, -0.497200570681554, 0, 0.497200570681554, 1.1797611176118603,
    ]
    #expect(plot.points.map(\.value) == [1, 2, 3, 4, 5])
    for (point, quantile) in zip(plot.points, expected) {
      #expect(abs(point.quantile - quantile) < 1e-12)
    }
  }

  @Test func emptySampleHasNoPoints() {
    #expect(NormalPlot([]).points.isEmpty)
  }
}
