import Foundation
import TestSupport
import Testing
import Validation

@testable import Reporting

@Suite struct FigureTests {
  /// What somebody might call a subject, and what gnuplot would make of it in other places.
  private static let spiteful = [
    "it's", "`touch x`", "\"; system 'touch x'", "a\nset output", "<b>&",
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

  @Test func namesAreQuoted() {
    #expect(PlotScript.quoted("it's") == "'it''s'")
    #expect(!PlotScript.quoted("a\nset output").contains("\n"))
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
    #expect(!FileManager.default.fileExists(atPath: drawn.folder.appending(path: "x").path()))
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
      // Read as XML it must be whole.
      let parser = XMLChecker(element)
      #expect(parser.isWellFormed, "\(figure.name)")
    }
  }

  @Test func aScriptThatFailsSaysSo() throws {
    guard let gnuplot = Self.gnuplot else { return }
    let figure = Figure(name: "bad", alt: "", caption: "", size: (10, 10), script: "plot nonsense(")
    #expect(throws: Gnuplot.Failure.self) {
      try DrawnFigures([figure], as: .svg, with: gnuplot)
    }
  }

  @Test func aPathWithoutGnuplotSaysSo() {
    #expect(throws: Gnuplot.Failure.missing) { try Gnuplot(path: "/nonexistent:/proc") }
  }
}
