import Testing
import Validation

@testable import Reporting

@Suite struct TerminalPlotTests {
  @Test func marksAreAtTheirCoordinates() {
    let plot = TerminalPlot(
      title: "t",
      layers: [
        TerminalPlot.Layer(mark: ".", points: [(0, 0), (1, 1)]),
        TerminalPlot.Layer(mark: "o", points: [(1, 1), (0.5, 0.5), (.nan, 1)]),
      ])
    let lines = plot.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == "t")
    // The later layer covers the earlier one.
    #expect(lines[1].hasPrefix("  1.00 |") && lines[1].hasSuffix("o"))
    #expect(lines[14].hasPrefix("  0.00 |."))
    #expect(lines.count { $0.contains("o") } == 2)
    #expect(lines.allSatisfy { $0.count <= 100 })
    #expect(lines[16].hasSuffix("1.0 h"))
  }

  @Test func emptyPlotIsReported() {
    #expect(TerminalPlot(title: "t\n", layers: []).text == "t\\n: nothing to draw\n")
    let flat = TerminalPlot.Layer(mark: ".", points: [(0, 0), (1, 0)])
    #expect(TerminalPlot(title: "t", layers: [flat]).text == "t: nothing to draw\n")
  }

  /// Points far outside are drawn at the edge.
  @Test func distantPointsAreDrawnAtTheEdge() {
    let far = Double.greatestFiniteMagnitude
    let plot = TerminalPlot(
      title: "t",
      layers: [
        TerminalPlot.Layer(mark: ".", points: [(0, 0), (1, 1)]),
        TerminalPlot.Layer(mark: "x", points: [(0.5, -1e30), (0.25, -far)]),
      ])
    let lines = plot.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[14].count { $0 == "x" } == 2)
    // A span that overflows.
    let wide = TerminalPlot.Layer(mark: ".", points: [(-far, 1e-300), (0, far), (far, -far)])
    #expect(TerminalPlot(title: "t", layers: [wide]).text.contains("."))
  }

  @Test func readingsAreDrawnWithAndWithoutFit() throws {
    let evaluation = try SmallEvaluation.evaluation(["ann"])
    let text = TerminalPlot(evaluation.series[0].fit).text
    #expect(text.hasPrefix("ann: . fitted, o readings"))
    #expect(text.contains("o") && text.contains("."))
  }
}
