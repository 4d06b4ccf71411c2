import AlcoholKinetics
import Certification
import Estimation
import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing
import Validation

@testable import Reporting

@Suite struct FigureTests {
  /// Names of subjects that try to break a picture.
  private static let spiteful = [
    "it's", "\"; alert(1)", "a\nline", "<b>&", "</svg><script>alert(1)</script>",
    "'\u{301} onload='x", "\"\u{301} onload=\"x", "20%", "\u{202E}turned\u{7}", "../../x",
    "x, occasion 1", String(repeating: "\u{65E5}", count: 30),
  ]

  private static let evaluation = Result { try SmallEvaluation.evaluation(spiteful) }

  private static func report() throws -> Page {
    let study = try evaluation.get()
    let provenance = Provenance(
      version: "0", command: "report", options: [], inputs: [], factors: study.fitOptions.factors)
    return .report(on: study, provenance: provenance, shown: 20)
  }

  private static func figures() throws -> [Figure] { try report().figures }

  @Test func everySeriesHasItsFigures() throws {
    let figures = try Self.figures()
    let names = figures.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.count { $0.hasPrefix("curve-") } == Self.spiteful.count)
    #expect(names.count { $0.hasPrefix("profile-") } == Self.spiteful.count)
    for name in [
      "people", "parameters", "methods", "sobriety-errors", "bland-altman", "residuals",
    ] {
      #expect(names.contains(name))
    }
    #expect(names.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } })
    #expect(figures.allSatisfy { !$0.alt.isEmpty && !$0.caption.isEmpty })
  }

  /// Figures are well-formed XML as files and inside a page, for any names, and equal on every run.
  @Test func figuresAreWellFormedAndReproducible() throws {
    let (figures, again) = (try Self.figures(), try Self.figures())
    for (figure, other) in zip(figures, again) {
      #expect(XMLChecker(figure.svg).isWellFormed, "\(figure.name)")
      #expect(XMLChecker("<div>\(figure.inPage)</div>").isWellFormed, "\(figure.name)")
      #expect(!figure.svg.contains("<script") && !figure.inPage.contains("<script"))
      #expect(HostileNames.isHarmless(figure.svg))
      #expect(figure.svg == other.svg && figure.inPage == other.inPage && figure == other)
    }
    #expect(try Self.report().html == Self.report().html)
  }

  /// Marks, lines and areas are in the legend, unless their name stands beside them.
  @Test func legendsNameEveryLayer() throws {
    for figure in try Self.figures() {
      let layers = figure.charts.flatMap(\.layers)
      #expect(!layers.isEmpty && layers.allSatisfy { !$0.label.isEmpty })
      for layer in layers where layer.isNamed {
        let entry = "</svg>\(layer.label.htmlEscaped)</li>"
        #expect(figure.inPage.ranges(of: entry).count == 1, "\(figure.name): \(layer.label)")
        #expect(figure.svg.contains(">\(layer.label.htmlEscaped)</text>"))
      }
    }
  }

  /// Readings show their value on hover and keyboard focus.
  @Test func readingsHaveTitlesWithValues() throws {
    let study = try Self.evaluation.get()
    let figure = Figure.curves(of: try #require(study.series.first), in: study)
    #expect(figure.inPage.ranges(of: "tabindex=\"0\" role=\"img\"><title>").count == 12)
    #expect(figure.inPage.contains("<title>30 min: 0."))
    #expect(figure.values?.rows.count == 12)
    // Neither the readings nor the picture as a whole is silent.
    #expect(
      figure.inPage.contains("role=\"group\" aria-label=\"Blood alcohol of it&#39;s against time"))
  }

  @Test func drinksStandOnTheAxisOfTime() throws {
    let study = try Self.evaluation.get()
    let chart = Figure.curves(of: try #require(study.series.first), in: study).charts[0]
    let drinks = chart.layers.first { $0.label == "drink" }
    guard case .marks(let marks, .drink, _, _, _) = drinks?.shape else {
      Issue.record("no drinks")
      return
    }
    #expect(marks.map(\.x) == [0] && marks.map(\.y) == [0])
    #expect(marks[0].text == "0 min: drink, 40.0 g of ethanol")
    #expect(chart.x.label == "time since the first drink, min")
    // Hours and parts of them.
    #expect(chart.x.ticks.allSatisfy { $0.value.remainder(dividingBy: 30) == 0 })
  }

  @Test func chartsOfOneComparisonHaveOneScale() throws {
    for name in ["bland-altman", "residuals", "people"] {
      let figure = try #require(try Self.figures().first { $0.name == name })
      #expect(figure.charts.count > 2)
      #expect(Set(figure.charts.map(\.y)).count == 1, "\(name)")
      #expect(name == "residuals" || Set(figure.charts.map(\.x)).count == 1)
    }
  }

  /// A band is named if and only if there is one.
  @Test func legendsNameBands() throws {
    var shipped = try StudyReader.read(PackageFolder.dataset("nacar-2021"))
    shipped.series = Array(shipped.series.prefix(1))
    // With r fixed its fit ends at bounds and has no covariance.
    let options = FitOptions(interval: nil)
    let studies = try [
      SmallEvaluation.evaluation(["ann"]),
      StudyEvaluation(
        of: shipped, fitOptions: options, predictionOptions: PredictionOptions(threshold: 0.1),
        bootstrap: Bootstrap(seed: 1, replicates: 50)),
    ]
    let figures = try studies.map { Figure.curves(of: try #require($0.series.first), in: $0) }
    #expect(figures.map { $0.svg.contains(">95 % band of the fitted curve<") } == [true, false])
    #expect(figures.allSatisfy { $0.svg.contains(">fitted curve<") })
  }

  /// Methods that predict the same do not cover each other; only the fit has a band.
  @Test func methodsHaveDistinctMarks() throws {
    let methods: [any RFactorMethod] = [
      ConstantMethod(name: "one", r: 0.6), ConstantMethod(name: "two", r: 0.6), Seidl(),
    ]
    let study = try StudyEvaluation(
      of: try SmallEvaluation.study(["ann", "bob"]), fitOptions: FitOptions(fixed: [.r: 0.65]),
      predictionOptions: PredictionOptions(
        parameters: .typical, methods: methods, threshold: 0.1),
      bootstrap: Bootstrap(seed: 1, replicates: 20))
    let people = try #require(Figure.people(study.series, in: study))
    let alone = Figure.curves(of: study.series[0], in: study)
    for chart in people.charts + alone.charts {
      let places = methods.map(\.name).map { name in
        chart.layers.filter { $0.label == name }.flatMap { layer -> [Double] in
          guard case .marks(let marks, _, _, _, _) = layer.shape else { return [] }
          return marks.filter { chart.x.shows($0.x) && chart.y.shows($0.y) }.map(\.y)
        }
      }
      #expect(places.allSatisfy { $0.count == 1 && $0[0] < 0 }, "\(places)")
      #expect(Set(places).count == methods.count)
      let bands = chart.layers.filter { if case .band = $0.shape { true } else { false } }
      #expect(bands.count == 1)
    }
    #expect(alone.charts[0].y.ticks.map(\.text).suffix(3) == ["one", "two", "seidl"])
    // Without colours, dashes lead from a curve to its row, and shapes tell small rows apart.
    for name in methods.map(\.name) {
      let layers = alone.charts[0].layers.filter { $0.label == name }
      #expect(layers.count == 2 && Set(layers.compactMap(\.shape.stroke?.dash)).count == 1)
    }
    let shapes = people.charts[0].layers.filter { methods.map(\.name).contains($0.label) }
    #expect(Set(shapes.compactMap(\.shape.symbol)).count == methods.count)
    // Values name the rows, where no name stands beside them, too.
    for figure in [people, alone] {
      let rows = try CSVText.rows(figure.csv).filter { $0["row"] != "" }
      #expect(Set(rows.compactMap { $0["row"] }) == Set(methods.map(\.name)))
    }
    // Rows need no legend where their names stand beside them; many small charts have one for all.
    #expect(!Figure.legend(of: [alone]).contains(">seidl"))
    #expect(Figure.legend(of: [people]).ranges(of: ">seidl").count == 1)
  }

  /// A given model changes no method's colour, and has another.
  @Test func methodsKeepTheirColours() throws {
    let names = RFactorMethods.all().map(\.name)
    let looks = try [[], ["app"]].map { models -> [String: Chart.Layer] in
      var small = try SmallEvaluation.study(["ann"])
      for index in small.series.indices {
        small.series[index].predictions = models.map {
          GivenPrediction(model: $0, .times([GivenTime(3)]))
        }
      }
      var options = PredictionOptions(
        parameters: .typical, methods: RFactorMethods.all(), threshold: 0.1)
      options.models = models
      let study = try StudyEvaluation(
        of: small, fitOptions: FitOptions(fixed: [.r: 0.65]), predictionOptions: options,
        bootstrap: Bootstrap(seed: 1, replicates: 20))
      let chart = try #require(Figure.people(study.series, in: study)).charts[0]
      return Dictionary(chart.layers.map { ($0.label, $0) }, uniquingKeysWith: { one, _ in one })
    }
    let app = try #require(looks[1]["app"])
    for name in names {
      let (alone, beside) = (looks[0][name], looks[1][name])
      #expect(alone?.ink == beside?.ink && alone?.shape.symbol == beside?.shape.symbol, "\(name)")
      #expect(beside?.ink != app.ink && beside?.shape.symbol != app.shape.symbol, "\(name)")
    }
    #expect(!looks[1].values.contains { $0.label != "app" && $0.ink == app.ink })
  }

  /// A row for each method, every occasion's error between its limits, and the typical error on top.
  @Test func errorsStandInARowPerMethod() throws {
    let study = try Self.evaluation.get()
    let figure = try #require(Figure.sobrietyErrors(of: study))
    let chart = try #require(figure.charts.first)
    #expect(chart.y.ticks.map(\.text) == study.predictionOptions.methods.map(\.name))
    #expect(chart.x.label.contains("%") && Figure.legend(of: [figure]).isEmpty)
    // A file has no caption.
    #expect(figure.svg.contains(">typical error with its interval<"))
    let kinds = chart.layers.compactMap { layer -> [Chart.Mark]? in
      if case .marks(let marks, _, _, _, _) = layer.shape { marks } else { nil }
    }
    #expect(kinds.count == 2 && kinds[0].count == Self.spiteful.count * chart.y.ticks.count)
    let typical = study.summary.sobriety.compactMap { method in
      method.estimate?.biasPercentOfMeasured?.value
    }
    #expect(kinds[1].map(\.x) == typical)
    #expect(kinds.joined().allSatisfy { chart.x.shows($0.x) && chart.y.shows($0.y) })
  }

  /// Files are called like people, and a number tells names apart that would be one.
  @Test func fileNamesAreReadable() {
    let people: [(String, String?)] = [
      ("p01", "1"), ("p01-1", nil), ("P01", "1"), ("Ann Lee", "fed"), ("Žofie", nil), ("", nil),
      ("-", nil), ("../ann", nil), ("ann", nil), (String(repeating: "a", count: 61), nil),
      ("ann-2", nil),
    ]
    let names = people.map { Sample.series(of: $0, occasion: $1) }.fileNames
    #expect(
      names == [
        "p01-1", "p01-1-2", "P01-1-3", "Ann-Lee-fed", "Žofie", "unnamed", "unnamed-2", "ann",
        "ann-2", String(repeating: "a", count: 40), "ann-2-2",
      ])
    // Some file systems do not tell capitals apart.
    #expect(Set(names.map { $0.lowercased() }).count == names.count)
  }

  /// No two series have the same label or file name, however their names are written.
  @Test func distinctSeriesHaveDistinctLabels() {
    let pairs: [(String, String?)] = [
      ("x, occasion 1", nil), ("x", "1"), ("\"x, occasion 1\"", nil), ("\"x", "1\""), ("x/1", nil),
      ("\"x/1\"", nil), ("x", nil), ("\"x", nil), ("a, occasion p", "q"),
      ("a", "p, occasion q"), ("a, occasion p\", occasion q", nil), ("a/b", "c"), ("a", "b/c"),
    ]
    let series = pairs.map { Sample.series(of: $0, occasion: $1) }
    #expect(Set(series.map(\.label)).count == series.count)
    #expect(Set(series.map(\.shortLabel)).count == series.count)
    #expect(Set(series.fileNames).count == series.count)
    #expect(series[1].label == "x, occasion 1" && series[1].shortLabel == "x/1")
  }

  /// Names take no room from the charts, however long they are.
  @Test func longNamesAreCutInTheMiddle() {
    let names = [String(repeating: "a long name ", count: 1000), "ann"]
    let axis = Chart.Axis(rows: names)
    #expect(axis.ticks.map(\.text) == ["a long...me ", "ann"])
    #expect(axis.ticks.allSatisfy { $0.text.drawnWidth <= 150 })
  }

  @Test func figureValuesCanBeExported() throws {
    let figure = try #require(try Self.figures().first { $0.name == "bland-altman" })
    let rows = try CSVText.rows(figure.csv)
    #expect(rows.count > 20)
    #expect(Set(rows.compactMap { $0["chart"] }) == Set(figure.charts.map(\.title)))
    #expect(rows.allSatisfy { $0["layer"] != "" && $0["y_label"] == "predicted - measured, min" })
    let drawn = rows.filter { $0["shape"] != "frame" }
    #expect(drawn.allSatisfy { $0["color"]?.hasPrefix("#") == true && $0["width"] != "" })
    // The ends of the axes of each chart.
    #expect(rows.count - drawn.count == 2 * figure.charts.count)
    #expect(Set(rows.compactMap { $0["shape"] }) == ["frame", "rule", "bars"])
    let files = Figure.files(of: [figure], withValues: true)
    #expect(files.map(\.name) == ["bland-altman.svg", "bland-altman.csv"])
  }

  /// Marks on an axis of rows have the name of their row.
  @Test func valuesNameTheirRows() throws {
    let figure = try #require(try Self.figures().first { $0.name == "sobriety-errors" })
    let marks = try CSVText.rows(figure.csv).filter {
      !["frame", "rule"].contains($0["shape"])
    }
    #expect(!marks.isEmpty && marks.allSatisfy { $0["shape"]?.hasSuffix("-across") == true })
    #expect(Set(marks.compactMap { $0["row"] }) == Set(figure.charts[0].y.ticks.map(\.text)))
  }

  /// A file of small charts says what their axes are; in a page the caption does.
  @Test func smallChartsShareTheirLabels() throws {
    let figure = try #require(try Self.figures().first { $0.name == "people" })
    for label in ["blood alcohol, g/kg", "time since the first drink, h"] {
      #expect(figure.svg.ranges(of: ">\(label)</text>").count == 1)
      #expect(!figure.inPage.contains(">\(label)</text>"))
      #expect(figure.csv.contains("\"\(label)\""))
    }
  }

  /// On paper letters of 12 pixels have 8 points, and nothing is dark.
  @Test func figuresOfPapersHaveTheirWidth() throws {
    for figure in try Self.figures() {
      let svg = figure.svg(millimetres: 85)
      #expect(XMLChecker(svg).isWellFormed)
      #expect(svg.contains("viewBox=\"0 0 361 ") && svg.contains(" width=\"85mm\" "))
      #expect(Palette.dark.allSatisfy { !svg.contains($0) })
      let charts = svg.matches(of: /class="chart" x="(\d+)" y="\d+" width="(-?\d+)"/)
      for chart in charts {
        let (x, width) = (Int(chart.output.1) ?? 0, Int(chart.output.2) ?? 0)
        #expect(width >= 55 && x + width <= 361, "\(figure.name)")
      }
    }
  }

  /// librsvg 2.54 stretches strokes with what it stretches, so that in a file nothing may be stretched.
  @Test func figureFilesAreNotStretched() throws {
    let figure = try #require(try Self.figures().first { $0.name.hasPrefix("curve-") })
    let chart = figure.charts[0]
    #expect(
      figure.svg.contains(
        "viewBox=\"0 0 \(712 - chart.margins.left - chart.margins.right) \(chart.height)\""))
    #expect(
      figure.inPage.contains("viewBox=\"0 0 2000 1000\"") && !figure.svg.contains("2000 1000"))
  }

  // MARK: - Axes

  /// Extreme values, as fits give for undetermined parameters.
  static let ends: [[Double]] = [
    [.leastNonzeroMagnitude, .leastNormalMagnitude], [1e-300, 1e300],
    [1, .greatestFiniteMagnitude], [.greatestFiniteMagnitude],
    [-.greatestFiniteMagnitude, .greatestFiniteMagnitude], [.nan, 1, .infinity], [0], [1, 1],
  ]

  @Test(arguments: ends, [true, false])
  func axesEndAtLabelledTicks(values: [Double], isLogarithmic: Bool) throws {
    let axis = Chart.Axis("x", values, isLogarithmic: isLogarithmic, length: Chart.Axis.panel)
    #expect(axis.low < axis.high && (axis.high - axis.low).isFinite)
    #expect(!isLogarithmic || axis.low > 0)
    for value in values where value.isFinite && (value > 0 || !isLogarithmic) {
      #expect(axis.shows(min(max(value, -1e300), isLogarithmic ? max(value, 1e-300) : 1e300)))
    }
    let chart = Chart(
      x: axis, y: axis,
      layers: [
        Chart.Layer("a", .text, .line(values.map { Chart.Point(x: $0, y: $0) })),
        Chart.Layer(
          "b", .text,
          .marks(
            values.map {
              Chart.Mark(x: $0, y: $0, ends: .init(low: -.infinity, high: $0), text: "")
            },
            .dot)),
      ], height: 100)
    let svg = Figure(name: "a", alt: "", caption: "", charts: [chart]).svg
    #expect(XMLChecker(svg).isWellFormed)
    #expect(!svg.contains("nan") && !svg.contains("inf"))
  }

  /// No number beside an axis runs into its neighbour, at any scale and length.
  @Test(arguments: [Chart.Axis.panel, Chart.Axis.page])
  func numbersBesideAnAxisHaveRoom(length: Double) {
    let spans: [(Double, Double)] = [
      (0, 1), (0.1, 0.11), (-0.85, 0), (-85, 0), (0, 260), (123_456, 123_457), (1e-9, 3e-9),
      (0, 10080), (-1e7, 1e7), (0.4, 7), (3, 1000), (1e-5, 1e5), (1e-290, 1e290),
    ]
    for (low, high) in spans {
      for (steps, isLogarithmic) in [
        (Chart.Axis.Steps.tens, false), (.minutes, false), (.tens, low > 0),
      ] {
        let axis = Chart.Axis(
          "x", [low, high], steps: steps, isLogarithmic: isLogarithmic, length: length)
        #expect((2...13).contains(axis.ticks.count), "\(low) \(high) \(isLogarithmic)")
        for (one, next) in zip(axis.ticks, axis.ticks.dropFirst()) {
          let distance =
            ((axis.fraction(next.value) ?? 0) - (axis.fraction(one.value) ?? 0)) * length
          #expect(distance >= (one.text.drawnWidth + next.text.drawnWidth) / 2 + 8)
        }
      }
    }
  }

  @Test func timeIsDividedByHours() {
    let axis = Chart.Axis("min", [0, 400], steps: .minutes, length: Chart.Axis.page)
    #expect(axis.ticks.map(\.text) == ["0", "60", "120", "180", "240", "300", "360", "420"])
  }

  // MARK: - Colours and letters

  /// WCAG 2.2 asks for a contrast of 3 for graphics and of 4.5 for text.
  @Test func coloursStandOutFromTheirPaper() {
    for color in Palette.light {
      #expect(contrast(color, Palette.lightPaper.paper) >= 3, "\(color)")
    }
    for color in Palette.dark { #expect(contrast(color, Palette.darkPaper.paper) >= 3, "\(color)") }
    for paper in [Palette.lightPaper, Palette.darkPaper] {
      #expect(contrast(paper.ink, paper.paper) >= 7 && contrast(paper.faint, paper.paper) >= 4.5)
    }
  }

  /// No two colours are equally light, so that print without colours keeps them apart; those that are used first differ
  /// most.
  @Test func coloursDifferInGrey() {
    for palette in [Palette.light, Palette.dark] {
      let shades = palette.map { 116 * cbrt(luminance($0)) - 16 }
      for (index, shade) in shades.enumerated() {
        for other in shades[..<index] {
          #expect(abs(shade - other) >= (index < 5 ? 7.5 : 3.5), "\(palette[index])")
        }
      }
    }
  }

  private func contrast(_ one: String, _ other: String) -> Double {
    let (a, b) = (luminance(one), luminance(other))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  /// Relative luminance, as WCAG 2.2 defines it.
  private func luminance(_ color: String) -> Double {
    let parts = stride(from: 1, to: 7, by: 2).map { place -> Double in
      let start = color.index(color.startIndex, offsetBy: place)
      let text = color[start..<color.index(start, offsetBy: 2)]
      let part = Double(Int(text, radix: 16) ?? 0) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  /// No text of a page or a chart has fewer than 12 pixels on a screen, at any width.
  @Test func lettersAreLargeEnoughAtAnyWidth() throws {
    let page = Page.style.components(separatedBy: "@media print")[0]
    let sizes = page.matches(of: /font-size: ?([\d.]+)(rem|px)/).compactMap { match in
      Double(match.output.1).map { $0 * (match.output.2 == "rem" ? 16 : 1) }
    }
    #expect(sizes.count > 5 && sizes.allSatisfy { $0 >= 12 })
    #expect(Chart.style.contains("font: 12px "))
    #expect(!Chart.style.contains("font-size") && !page.contains("zoom"))
    // What stretches has no letters in it.
    for figure in try Self.figures() {
      for piece in figure.inPage.components(separatedBy: "<svg viewBox=").dropFirst() {
        #expect(piece.components(separatedBy: "</svg>")[0].ranges(of: "<text").isEmpty)
      }
    }
  }

  // MARK: - Other formats

  private static let converter = try? PictureConverter()

  @Test(
    .enabled(if: converter != nil, "rsvg-convert is not installed"),
    arguments: PictureConverter.Format.allCases)
  func picturesCanBeConverted(format: PictureConverter.Format) throws {
    let figure = try #require(try Self.figures().first)
    let converter = try #require(Self.converter)
    let data = try converter.picture(of: figure, as: format)
    let magic: [UInt8] =
      format == .pdf ? Array("%PDF-".utf8) : [0x89, 0x50, 0x4E, 0x47, 0x0D]
    #expect(Array(data.prefix(5)) == magic && data.count > 5000)
  }

  @Test func unwritableTemporaryFileIsReported() {
    #expect(throws: TemporaryFile.Failure.self) {
      try TemporaryFile(in: URL(filePath: "/nonexistent/folder"))
    }
  }

  @Test func missingConverterIsReported() {
    #expect(throws: PictureConverter.Failure.missing) {
      try PictureConverter(path: "/nonexistent:/proc")
    }
  }
}

extension Figure {
  /// As a page shows it.
  fileprivate var inPage: String { Figure.legend(of: [self]) + panels }
}
