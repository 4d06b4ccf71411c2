import Foundation
import TestSupport
import Testing
import Validation

@testable import Reporting

@Suite struct FigureTests {
  /// What somebody might call a subject, and what gnuplot would make of it in other places.
  private static let spiteful = [
    "it's", "`touch x`", "\"; system 'touch x'", "a\nset output", "<b>&",
    "'\u{301}; system 'touch x'", "\"\u{301} onload=\"x",
  ]

  private static let evaluation = Result { try SmallEvaluation.evaluation(spiteful) }

  private static func figures() throws -> [Figure] {
    let study = try evaluation.get()
    let provenance = Provenance(
      version: "0", command: "report", options: [], inputs: [], factors: study.fitOptions.factors)
    return StudyReport(study, provenance: provenance, shown: 10).figures
  }

  @Test func everySeriesHasItsFigures() throws {
    let figures = try Self.figures()
    let names = figures.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.count { $0.hasPrefix("curve-") } == Self.spiteful.count)
    #expect(names.count { $0.hasPrefix("profile-") } == Self.spiteful.count)
    for name in ["parameters", "methods", "sobriety-errors", "bland-altman", "residuals"] {
      #expect(names.contains(name))
    }
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
    #expect(names.allSatisfy { allowed.isSuperset(of: $0) })
    #expect(figures.allSatisfy { !$0.alt.isEmpty && !$0.caption.isEmpty })
  }

  @Test func figuresDifferInAllThatIsSeen() {
    let figure = { (alt: String, width: Int) in
      Figure(
        name: "a", alt: alt, caption: "", size: Figure.Size(width: width, height: 1), script: "")
    }
    #expect(figure("x", 1) == figure("x", 1))
    #expect(figure("x", 1) != figure("y", 1))
    #expect(figure("x", 1) != figure("x", 2))
  }

  @Test func namesAreQuoted() {
    #expect(PlotScript.quoted("it's") == "'it''s'")
    #expect(!PlotScript.quoted("a\nset output").contains("\n"))
    // With an accent on it, it still ends a string.
    let accented = PlotScript.quoted("'\u{301}").unicodeScalars
    #expect(Array(accented) == ["'", "'", "'", "\u{301}", "'"])
  }

  @Test func fileNamesTellNamesApart() {
    #expect("ann-1".fileName == "ann-1")
    #expect("ann/1".fileName != "ann-1".fileName)
    #expect("ann/1".fileName != "ann:1".fileName)
  }

  @Test func numbersThatAreNoneAreNotDrawn() {
    #expect(PlotScript.number(.infinity) == "NaN")
    #expect(PlotScript.number(nil) == "NaN")
    #expect(PlotScript.number(0.1 + 0.2) == "0.3")
    #expect(PlotScript.data("none", []).contains("NaN"))
  }

  @Test func axesHaveRoomAndFewTics() {
    #expect(
      PlotScript.axis("x", [0, 10])
        == "unset logscale x\nset xrange [-0.8:10.8]\nset xtics 5")
    let logarithmic = PlotScript.axis("x", [1, 10], isLogarithmic: true)
    #expect(logarithmic.contains("set logscale x"))
    #expect(logarithmic.contains("set xtics (1, 2, 5, 10)"))
    #expect(PlotScript.axis("y", []).contains("[*:*]"))
  }

  @Test func ticsAreAsManyAsTheirNumbersHaveRoom() {
    #expect(PlotScript.axis("x", [-0.85, 0]).hasSuffix("set xtics 0.5"))
    #expect(PlotScript.axis("x", [-85, 0]).hasSuffix("set xtics 20"))
  }

  /// Names take no room from the panels, however many there are.
  @Test func namesStandLeftOfTheFirstPanelAlone() throws {
    let script = PlotScript.panels(["plot 1", "plot 2"], besideNames: ["1/1", "1/2"])
    #expect(script.ranges(of: "'1/2'").count == 1)
    let margins = script.matches(of: /([lr])margin at screen (0\.\d+)/)
      .compactMap { Double($0.2) }
    #expect(margins.count == 4 && margins == margins.sorted())
    #expect(abs((margins[1] - margins[0]) - (margins[3] - margins[2])) < 1e-5)
  }

  /// What fits make of numbers that readings do not determine.
  static let ends: [[Double]] = [
    [.leastNonzeroMagnitude, .leastNormalMagnitude], [1e-300, 1e300],
    [1, .greatestFiniteMagnitude], [.greatestFiniteMagnitude],
    [-.greatestFiniteMagnitude, .greatestFiniteMagnitude], [.nan, 1, .infinity], [0], [1, 1],
  ]

  @Test(arguments: ends, [true, false])
  func axesEndWhereNumbersDo(values: [Double], isLogarithmic: Bool) throws {
    let script = PlotScript.axis("x", values, isLogarithmic: isLogarithmic)
    let lower = script.lowercased()
    #expect(!lower.contains("nan") && !lower.contains("inf"))
    guard !script.contains("[*:*]") else {
      #expect(isLogarithmic && !values.contains { $0.isFinite && $0 > 0 })
      return
    }
    let range = try #require(script.firstMatch(of: /range \[(.+):(.+)\]/))
    let (low, high) = (try #require(Double(range.1)), try #require(Double(range.2)))
    #expect(low < high && (high - low).isFinite)
    #expect(!isLogarithmic || low > 0)
    for value in values where value.isFinite && (value > 0 || !isLogarithmic) {
      let shown = try #require(Double(PlotScript.number(value)))
      #expect(low <= shown && shown <= high)
    }
    #expect(script.count { $0 == "," } <= 16)
  }

  // MARK: - Drawn

  private static let gnuplot = try? Gnuplot()

  @Test(.enabled(if: gnuplot != nil, "gnuplot is not installed"), arguments: Figure.Format.allCases)
  func gnuplotDrawsThemAll(format: Figure.Format) throws {
    let figures = try Self.figures()
    let drawn = try DrawnFigures(figures, as: format, with: try #require(Self.gnuplot))
    for figure in figures {
      let file = drawn.folder.appending(path: "\(figure.name).\(format.rawValue)")
      let start = try Data(contentsOf: file).prefix(5)
      let magic: [UInt8] =
        switch format {
        case .svg: Array("<?xml".utf8)
        case .pdf: Array("%PDF-".utf8)
        case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D]
        }
      #expect(Array(start) == magic, "\(figure.name)")
    }
    // Names were drawn and not run: gnuplot, which works in this folder, wrote nothing else.
    let files = try FileManager.default.contentsOfDirectory(atPath: drawn.folder.path())
    #expect(files.allSatisfy { $0.hasSuffix(".\(format.rawValue)") || $0.hasSuffix(".gp") })
  }

  @Test(.enabled(if: gnuplot != nil, "gnuplot is not installed"), arguments: ends, [true, false])
  func gnuplotDrawsAxesToTheirEnds(values: [Double], isLogarithmic: Bool) throws {
    let shown = values.filter { !isLogarithmic || $0 > 0 } + (isLogarithmic ? [1] : [])
    let figure = Figure(
      name: "axis", alt: "", caption: "", size: Figure.Size(width: 300, height: 200),
      script: PlotScript.axis("x", shown, isLogarithmic: isLogarithmic) + "\n"
        + PlotScript.data("points", shown.map { [$0, 1] })
        + "\nplot $points using 1:2 with points")
    _ = try DrawnFigures([figure], as: .svg, with: try #require(Self.gnuplot))
  }

  @Test(.enabled(if: gnuplot != nil, "gnuplot is not installed"))
  func picturesStandInAPage() throws {
    let figures = try Self.figures()
    let drawn = try DrawnFigures(figures, as: .svg, with: try #require(Self.gnuplot))
    let texts = drawn.texts(of: figures)
    #expect(texts.count == figures.count)
    for figure in figures {
      let text = try #require(texts[figure.name])
      let element = try #require(InlineSVG.element(text, of: figure))
      #expect(element.hasPrefix("<svg xmlns"))
      #expect(element.contains("role=\"img\""))
      #expect(!element.contains("<?xml") && !element.contains("<!DOCTYPE"))
      #expect(!element.contains("rgb(  0,   0,   0)"))
      #expect(!element.contains("stroke='black'"))
      // Read as XML it must be whole.
      let parser = XMLChecker(element)
      #expect(parser.isWellFormed, "\(figure.name)")
    }
  }

  @Test(.enabled(if: gnuplot != nil, "gnuplot is not installed"))
  func aScriptThatFailsSaysSo() throws {
    let gnuplot = try #require(Self.gnuplot)
    let figure = Figure(
      name: "bad", alt: "", caption: "", size: Figure.Size(width: 10, height: 10),
      script: "plot nonsense(")
    #expect(throws: Gnuplot.Failure.self) {
      try DrawnFigures([figure], as: .svg, with: gnuplot)
    }
  }

  @Test func aPathWithoutGnuplotSaysSo() {
    #expect(throws: Gnuplot.Failure.missing) { try Gnuplot(path: "/nonexistent:/proc") }
  }
}
