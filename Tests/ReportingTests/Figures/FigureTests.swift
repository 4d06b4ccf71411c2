import AlcoholKinetics
import Estimation
import Foundation
import TestSupport
import Testing
import Validation

@testable import Reporting

@Suite struct FigureTests {
  /// What somebody might call a subject, and what gnuplot would make of it in other places.
  private static let spiteful = [
    "it's", "`touch x`", "\"; system 'touch x'", "a\nset output", "<b>&",
    "'\u{301}; system 'touch x'", "\"\u{301} onload=\"x", "20%", "5% group", "%s%d",
    "\u{202E}turned\u{7}", "../../x", "x, occasion 1",
    // Of a tic with % gnuplot keeps 49 bytes, which may end inside a character.
    String(repeating: "\u{65E5}", count: 30) + "%",
  ]

  private static let evaluation = Result { try SmallEvaluation.evaluation(spiteful) }

  private static func figures() throws -> [Figure] {
    let study = try evaluation.get()
    let provenance = Provenance(
      version: "0", command: "report", options: [], inputs: [], factors: study.fitOptions.factors)
    return StudyReport(study, provenance: provenance, shown: 20).figures
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
    let names = [
      "ann-1", "ann/1", "ann:1", "Ann-1", "ANN-1", "", "-", String(repeating: "a", count: 61),
      String(repeating: "a", count: 62), "../ann", "ann/1".fileName,
    ]
    // Some file systems do not tell capitals apart.
    #expect(Set(names.map { $0.fileName.lowercased() }).count == names.count)
  }

  /// Whatever is in the names, no two series are called the same, nor are their files.
  @Test func labelsTellSeriesApart() {
    let pairs: [(String, String?)] = [
      ("x, occasion 1", nil), ("x", "1"), ("\"x, occasion 1\"", nil), ("\"x", "1\""), ("x/1", nil),
      ("\"x/1\"", nil), ("x", nil), ("\"x", nil), ("a, occasion p", "q"),
      ("a", "p, occasion q"), ("a, occasion p\", occasion q", nil), ("a/b", "c"), ("a", "b/c"),
    ]
    let series = pairs.map { Sample.series(of: $0, occasion: $1) }
    #expect(Set(series.map(\.label)).count == series.count)
    #expect(Set(series.map(\.shortLabel)).count == series.count)
    #expect(Set(series.map(\.fileName)).count == series.count)
    #expect(series[1].label == "x, occasion 1" && series[1].shortLabel == "x/1")
  }

  /// gnuplot takes % in the label of a tic for a format.
  @Test(.enabled(if: gnuplot != nil, "gnuplot is not installed"))
  func percentSignsAreDrawn() throws {
    let figures = try Self.figures().filter { $0.name == "parameters" }
    let drawn = try DrawnFigures(figures, as: .svg, with: try #require(Self.gnuplot))
    let text = try #require(drawn.texts(of: figures)["parameters"])
    for name in ["20%", "5% group", "%s%d"] { #expect(text.contains("<text>\(name)<"), "\(name)") }
    #expect(text.contains("\\u{202e}turned\\u{7}"))
  }

  @Test func longNamesLeaveRoomForPanels() {
    let names = [String(repeating: "a long name ", count: 1000)]
    #expect(PlotScript.widthOfPanels(2, besideNames: names) < 1000)
    #expect(PlotScript.rowNames(names).utf8.count < 200)
  }

  /// The folder of a figure is nobody else's business, and goes with what was drawn.
  @Test(.enabled(if: gnuplot != nil, "gnuplot is not installed"))
  func figuresLieInAPrivateFolder() throws {
    let figure = Figure(
      name: "one", alt: "", caption: "", size: Figure.Size(width: 300, height: 200),
      script: "plot x")
    var path = ""
    do {
      let drawn = try DrawnFigures([figure], as: .svg, with: try #require(Self.gnuplot))
      path = drawn.folder.path(percentEncoded: false)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
      #expect(try drawn.files().map(\.name) == ["one.svg"])
      #expect(try drawn.files(withScripts: true).map(\.name) == ["one.svg", "one.gp"])
    }
    #expect(!path.isEmpty && !FileManager.default.fileExists(atPath: path))
  }

  @Test func aFolderThatCannotBeMadeSaysSo() {
    #expect(throws: PrivateFolder.Failure.self) {
      try PrivateFolder(in: URL(filePath: "/nonexistent/folder"))
    }
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
    let endings = [".\(format.rawValue)", ".gp", ".log"]
    #expect(files.allSatisfy { file in endings.contains { file.hasSuffix($0) } })
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
