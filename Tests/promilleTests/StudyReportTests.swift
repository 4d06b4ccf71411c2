import Foundation
import TestSupport
import Testing

/// `promille report` and `promille plot`
@Suite struct StudyReportTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let hasConverter = ["/usr/bin/rsvg-convert", "/opt/homebrew/bin/rsvg-convert"]
    .contains { FileManager.default.isExecutableFile(atPath: $0) }

  @Test func reportIsOneSelfContainedPage() async throws {
    let run = try await Command.promille(
      "report", "datasets/nacar-2021", "--estimate", "ka,beta,r", "-o", folder("report.html"))
    #expect(run.status == 0)
    #expect(run.output.isEmpty)
    let page = try folder.read("report.html")
    for heading in [
      "People", "Parameters", "Left out, and what to do", "Methods", "References", "Provenance",
      "Appendix",
    ] {
      #expect(page.contains(">\(heading)</h"), "\(heading)")
    }
    for line in [
      "The study", "Every person", "Estimates of every occasion", "Methods compared", "Residuals",
      "Profile likelihood",
    ] {
      #expect(page.contains("<details><summary>\(line)</summary>"), "\(line)")
    }
    #expect(page.contains("Nacar 2021, experiment 1"))
    #expect(page.contains(/lanes, [248] at once/))
    #expect(page.contains("d080ceeed672d90d616ea76b0421455739db1898a5a94310100174e208ab56f3"))
    for loading in ["<script", "src=", "<link", "@import", "href=\"http"] {
      #expect(!page.contains(loading), "\(loading)")
    }
    // The errors, people, parameters; four curves and four profiles, methods, Bland-Altman and residuals.
    #expect(page.ranges(of: "<figure class=\"picture\">").count == 14)
    #expect(page.utf8.count < 200_000)
  }

  /// 24 people in the words of an article: the appendix opens on demand, or on request.
  @Test(arguments: [false, true])
  func reportReadsAsAnArticle(isAppendixOpen: Bool) async throws {
    let run = try await Command.promille(
      [
        "report", "datasets/made-up-24", "--estimate", "ka,beta,r", "--blood-breath-ratio", "2100",
        "--starts", "4", "-o", folder("report.html"), "-q",
      ] + (isAppendixOpen ? ["--appendix"] : []))
    #expect(run.status == 0)
    let page = try folder.read("report.html")
    #expect(page.ranges(of: "<details open>").isEmpty != isAppendixOpen)
    let article = try #require(page.components(separatedBy: "<h2 id=\"appendix\"").first)
      .replacing(/<style>(?s:.*?)<\/style>/, with: "")
      .replacing(/<details>(?s:.*?)<\/details>/, with: "")
    let words = article.replacing(/<[^>]*>/, with: " ").split(whereSeparator: \.isWhitespace)
    #expect(words.count <= 3000)
    // Everybody is there, and no legend names a mark twice.
    #expect(article.ranges(of: "class=\"legend\"").count == 1)
    #expect(article.ranges(of: "<svg class=\"chart\"").count == 30 + 1 + 3)
    #expect(article.contains("<p class=\"summary\">"))
  }

  /// The head states date, version and command, and the answer in the words of the other commands.
  @Test func headStatesVersionCommandAndAnswer() async throws {
    let run = try await Command.promille(
      [
        "report", "datasets/nacar-2021", "--estimate", "ka,beta,r", "-o", folder("a 'b'.html"),
        "-q",
      ],
      environment: ["SOURCE_DATE_EPOCH": "1700000000"])
    #expect(run.status == 0)
    let page = try folder.read("a 'b'.html")
    let head = try #require(page.components(separatedBy: "<h2").first)
    #expect(head.contains("<dt>Date</dt><dd>2023-11-14 22:13 UTC</dd>"))
    #expect(head.contains("<dt>Made with</dt><dd>Promille "))
    #expect(head.contains("<dd>promille report datasets/nacar-2021 --estimate ka,beta,r -o &#39;"))
    #expect(head.contains("a &#39;\\&#39;&#39;b&#39;\\&#39;&#39;.html&#39; -q</dd>"))
    let compared = try await Command.promille(
      "compare", "datasets/nacar-2021", "--format", "table", "-q")
    let question = try #require(compared.output.split(separator: "\n").first)
    #expect(head.replacing(/<[^>]*>/, with: "").contains(question), "\(question)")
  }

  /// Words stand where there is no number, and where an option was not used.
  @Test func factsAreStatedInWords() async throws {
    let run = try await Command.promille(
      "report", "datasets/nacar-2021", "-o", folder("report.html"))
    #expect(run.status == 0)
    let page = try folder.read("report.html")
    #expect(page.contains(": undetermined</title>") || page.contains("<td>&gt; 0."))
    #expect(page.contains("<dt>lod</dt><dd>not given</dd>"))
    #expect(page.contains("<dt>fix</dt><dd>none</dd>"))
    for code in ["null", "[]", "? 1/h"] { #expect(!page.contains("<dd>\(code)</dd>"), "\(code)") }
  }

  /// A study of more than 60 people is shown by 60, unless more are requested.
  @Test func largeStudyShowsASample() async throws {
    let made = try await Command.promille(
      "simulate", "--cohort", "61", "--seed", "3", "--readings", "8", "-o", folder("cohort"))
    #expect(made.status == 0)
    let command = [
      "report", folder("cohort"), "--starts", "1", "--derived", "none", "-q", "-o",
      folder("page.html"),
    ]
    for (options, count) in [([], 60), (["--figures", "61"], 61)] {
      let run = try await Command.promille(command + options)
      #expect([0, 1].contains(run.status))
      let page = try folder.read("page.html")
      #expect(page.contains("Shown one by one: 60 of 61 series") == (count == 60))
      let people = try #require(page.components(separatedBy: "class=\"panels many small\"").last)
      let small = try #require(people.components(separatedBy: "</figure>").first)
      #expect(small.ranges(of: "<svg class=\"chart\"").count == count)
    }
  }

  @Test(arguments: ["report", "plot"])
  func reportNeedsNoOtherProgram(_ command: String) async throws {
    let arguments =
      command == "report"
      ? ["-o", folder("r.html")] : ["--subject", "2", "-o", folder("r.html.svg")]
    let run = try await Command.promille(
      [command, "datasets/nacar-2021"] + arguments, environment: ["PATH": "/nonexistent"])
    #expect(run.status == 0)
    #expect(try folder.read(command == "report" ? "r.html" : "r.html.svg").contains("<svg"))
  }

  @Test func pngNeedsTheConverter() async throws {
    let run = try await Command.promille(
      ["plot", "datasets/nacar-2021", "--subject", "2", "-o", folder("x.png")],
      environment: ["PATH": "/nonexistent"])
    #expect(run.status == 73)
    #expect(run.errors.contains("error E_CONVERTER_MISSING") && run.errors.contains("librsvg2-bin"))
    #expect(!FileManager.default.fileExists(atPath: folder("x.png")))
  }

  @Test func markdownReportHasFiguresBesideIt() async throws {
    let run = try await Command.promille(
      "report", "datasets/nacar-2021", "-o", folder("page.md"), "-q")
    #expect(run.status == 0)
    let page = try folder.read("page.md")
    #expect(page.hasPrefix("# Nacar 2021"))
    for match in page.matches(of: /\]\((page-figures\/[^)]*)\)/) {
      #expect(try folder.read(String(match.output.1)).contains("<svg"))
    }
    #expect(page.contains("](page-figures/curve-1.svg)"))
  }

  @Test func formatOptionOverridesTheExtension() async throws {
    let run = try await Command.promille(
      "report", "datasets/nacar-2021", "--format", "md", "-o", folder("page.html"), "-q")
    #expect(run.status == 0)
    #expect(try folder.read("page.html").hasPrefix("# Nacar 2021"))
  }

  @Test func keptFiguresHaveTheirValues() async throws {
    let run = try await Command.promille(
      "report", "datasets/nacar-2021", "-o", folder("report.html"), "--keep-plots",
      folder("plots"), "--figures", "1", "-q")
    #expect(run.status == 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder("plots"))
    #expect(files.contains("curve-1.csv") && files.contains("curve-1.svg"))
    #expect(!files.contains("curve-2.csv"))
    let values = try folder.read("plots/curve-1.csv")
    #expect(values.hasPrefix("chart,layer,shape,x_label,x,y_label,y,row,low,high,color,"))
  }

  @Test func missingReportOptionsAreReported() async throws {
    #expect(try await Command.promille("report", "datasets/nacar-2021").status == 64)
    let all = try await Command.promille(
      "report", "datasets/nacar-2021", "-o", folder("x.html"), "--model", "all")
    #expect(all.status == 64)
    let nowhere = try await Command.promille(
      "report", "datasets/nacar-2021", "-o", folder("none/x.html"), "-q")
    #expect(nowhere.status == 73)
    #expect(nowhere.errors.contains("E_OUTPUT"))
  }

  // MARK: - A figure by itself

  @Test(
    .enabled(if: hasConverter, "rsvg-convert is not installed"), arguments: ["svg", "png", "pdf"])
  func plotDrawsOneSubject(ending: String) async throws {
    let file = folder("curve.\(ending)")
    let run = try await Command.promille(
      "plot", "datasets/nacar-2021", "--subject", "2", "-o", file)
    #expect(run.status == 0)
    #expect(try Data(contentsOf: URL(filePath: file)).count > 5000)
  }

  /// Without --subject everybody is drawn, with the values that other programs draw.
  @Test func plotDrawsEverybody() async throws {
    let study = "datasets/made-up-24"
    let options = ["--blood-breath-ratio", "2100", "--starts", "1", "--interval", "none", "-q"]
    let picture = try await Command.promille(["plot", study, "-o", "-"] + options)
    #expect(picture.status == 0)
    #expect(picture.output.ranges(of: "<svg class=\"chart\"").count == 30)
    let values = try await Command.promille(
      ["plot", study, "-o", "-", "--format", "csv"] + options)
    #expect(Set(try CSVText.rows(values.output).compactMap { $0["chart"] }).count == 30)
    #expect(values.output.contains("\"time since the first drink, h\""))
    let errors = try await Command.promille(
      ["plot", study, "-o", folder("errors.svg"), "--figure", "sobriety-errors"] + options
        + ["--width", "85mm"])
    #expect(errors.status == 0)
    #expect(try folder.read("errors.svg").contains(" width=\"85mm\" "))
  }

  /// More people than a picture shows are drawn in part, which is said; a failed fit ends with 1.
  @Test func plotOfManyDrawsSome() async throws {
    let made = try await Command.promille(
      "simulate", "--cohort", "121", "--seed", "3", "--readings", "8", "-o", folder("cohort"))
    #expect(made.status == 0)
    let run = try await Command.promille(
      "plot", folder("cohort"), "--starts", "1", "--interval", "none", "-o", folder("x.svg"))
    #expect(run.errors.contains("drawn are 120 of 121 series, evenly spread; --subject draws one"))
    #expect(try folder.read("x.svg").ranges(of: "<svg class=\"chart\"").count == 120)
    let bad = try SmallStudy.withBadSubject.write(to: folder, as: "bad")
    let failed = try await Command.promille("plot", bad, "-o", folder("y.svg"))
    #expect(failed.status == 1)
    #expect(failed.errors.contains("1 of 3 series have no fitted curve"))
  }

  @Test(arguments: [
    (["--width", "85"], "is not a width of 40 to 600 mm"),
    (["--width", "5mm"], "85mm, 18cm or 3.35in"),
    (["--occasion", "1"], "add --subject"),
    (["--subject", "1", "--figure", "people"], "leave out"),
    (["--width", "85mm", "--format", "csv"], "--width is for pictures"),
  ])
  func plotOptionsThatDoNotFitAreRefused(options: [String], reason: String) async throws {
    let run = try await Command.promille(
      ["plot", "datasets/nacar-2021", "-o", folder("x.svg")] + options)
    #expect(run.status == 64)
    #expect(run.errors.contains(reason), "\(run.errors)")
  }

  /// A figure for a paper has its size, and its fonts inside.
  @Test(.enabled(if: hasConverter, "rsvg-convert is not installed"))
  func figuresOfPapersAreConverted() async throws {
    for ending in ["pdf", "png"] {
      let run = try await Command.promille(
        "plot", "datasets/nacar-2021", "--subject", "2", "--width", "85mm", "-o",
        folder("x.\(ending)"), "-q")
      #expect(run.status == 0)
    }
    // 85 mm are 240.9 points, and 2008 dots of 600 to an inch.
    let pdf = try String(decoding: Data(contentsOf: URL(filePath: folder("x.pdf"))), as: UTF8.self)
    #expect(pdf.contains(/MediaBox \[ ?0 0 240\.9/))
    let png = try Data(contentsOf: URL(filePath: folder("x.png")))
    #expect(png[16..<20].reduce(0) { $0 << 8 | Int($1) } == 2008)
  }

  /// The mean of all other subjects needs them, also where one is drawn.
  @Test func leftOutPlotUsesAllOtherSubjects() async throws {
    let arguments = ["plot", "--parameters", "left-out", "--methods", "widmark,watson"]
    let run = try await Command.promille(
      arguments + ["datasets/nacar-2021", "--subject", "2", "-o", folder("x.svg")])
    #expect(run.status == 0)
    #expect(!run.errors.contains("left"))
    let picture = try folder.read("x.svg")
    #expect(picture.contains("widmark") && picture.contains("watson"))
    var alone = SmallStudy()
    alone.subjects = "subject,sex,age_y,height_cm,weight_kg\nann,female,30,165,60\n"
    alone.drinks = "subject,time_min,ethanol_g\nann,0,30\n"
    alone.readings = SmallStudy.readings(of: "ann")
    let none = try await Command.promille(
      arguments + [try alone.write(to: folder), "--subject", "ann", "-o", folder("y.svg")])
    #expect(none.status == 1)
    #expect(none.complaints.count { $0.contains("E_NO_OTHER_FIT") } == 2)
  }

  /// Findings of one code about different things are all told.
  @Test func findingsAboutDifferentColumnsAreAllListed() async throws {
    var study = SmallStudy()
    study.subjects.replace("40,180", with: "400,180")
    study.readings.replace("bob,15,0.494", with: "bob,15,-0.494")
    study.readings.replace("cem,15,0.494", with: "cem,15,-0.494")
    let run = try await Command.promille(
      "report", try study.write(to: folder), "--figures", "0", "-o", folder("report.html"), "-q")
    #expect(run.status == 1, "\(run.errors)")
    let page = try folder.read("report.html")
    for text in [
      "error E_RANGE: age_y is ", "error E_RANGE: bac_g_per_kg is ", "(and 1 more like this;",
    ] {
      #expect(page.ranges(of: text).count == 1, "\(text)")
    }
  }

  @Test func missingCurvesAreNamed() async throws {
    let study = try SmallStudy().write(to: folder)
    let run = try await Command.promille(
      "plot", study, "--subject", "ann", "--methods", "ulrich,widmark", "-o", folder("x.svg"))
    #expect(run.status == 0)
    #expect(run.complaints.count == 1)
    #expect(run.errors.contains("no curve predicted by ulrich: N_R_NOT_DEFINED"))
  }

  /// The plot of a subject with two occasions shows the first, unless the other is named.
  @Test func plotDrawsTheNamedOccasion() async throws {
    var twice = SmallStudy()
    twice.subjects = "subject,sex,age_y,height_cm,weight_kg\nann,female,30,165,60\n"
    twice.drinks = "subject,occasion,time_min,ethanol_g\nann,fed,0,30\nann,fasted,0,40\n"
    let rows = twice.readings.split(separator: "\n").filter { $0.hasPrefix("ann,") }
    twice.readings = "subject,occasion,time_min,bac_g_per_kg\n"
    for occasion in ["fed", "fasted"] {
      twice.readings += rows.map { $0.replacing("ann,", with: "ann,\(occasion),") + "\n" }.joined()
    }
    let study = try twice.write(to: folder)
    for (file, options) in [
      ("first", []), ("fed", ["--occasion", "fed"]), ("fasted", ["--occasion", "fasted"]),
    ] {
      let run = try await Command.promille(
        ["plot", study, "--subject", "ann", "-o", folder("\(file).svg"), "-q"] + options)
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try folder.read("first.svg") == folder.read("fed.svg"))
    #expect(try folder.read("first.svg") != folder.read("fasted.svg"))
    let none = try await Command.promille(
      "plot", study, "--subject", "ann", "--occasion", "third", "-o", folder("x.svg"))
    #expect(none.status == 66)
    #expect(none.errors.contains("the study has no subject ann, occasion third"))
  }

  @Test func plotOfAnUnknownSubjectIsRefused() async throws {
    let run = try await Command.promille(
      "plot", "datasets/nacar-2021", "--subject", "nobody", "-o", folder("x.svg"))
    #expect(run.status == 66)
    #expect(run.errors.contains("E_SUBJECT"))
    #expect(!FileManager.default.fileExists(atPath: folder("x.svg")))
    let format = try await Command.promille(
      "plot", "datasets/nacar-2021", "--subject", "1", "-o", folder("x.gif"))
    #expect(format.status == 64)
  }
}
