import AlcoholKinetics
import Estimation
import StudyData
import TestSupport
import Testing
import Validation

@testable import Reporting

/// The sentences on what was fitted and what the readings determine, and the page around them.
@Suite struct StudySummaryTests {
  private func contents(
    _ study: StudyEvaluation, shown: Int = 0
  ) throws -> StudyReportContents {
    StudyReportContents(
      study, [],
      provenance: Provenance(
        version: "0", command: "report", options: [], inputs: [], factors: ConversionFactors()),
      shown: shown)
  }

  /// The page says of parameters what `promille fit` says, and what is doubtful once.
  @Test func summaryStatesFittedAndDeterminedParameters() throws {
    let study = try SmallEvaluation.evaluation((1...4).map { "p\($0)" })
    let contents = try contents(study)
    #expect(
      contents.people
        == "In 4 subjects (4 men) with 48 blood-alcohol readings after 4 drinks, Widmark's one-compartment "
        + "model was fitted to all 4 series.")
    #expect(contents.determined.hasPrefix("All 4 series determine k_a and beta."))
    let page = contents.page.html
    #expect(page.contains("<p>\(contents.determined.htmlEscaped)</p>"))
    #expect(contents.fits.firstScreen?.answer.first == contents.determined)
  }

  /// The summary states that a study has no fits or scores.
  @Test func summaryStatesMissingResults() throws {
    var study = try SmallEvaluation.study(["ann", "bob"])
    study.series = study.series.map { series in
      var bare = series
      bare.readings = []
      bare.subject.sex = nil
      return bare
    }
    let none = try StudyEvaluation(
      of: study, fitOptions: FitOptions(), predictionOptions: PredictionOptions(),
      bootstrap: Bootstrap(seed: 1, replicates: 50))
    #expect(
      try contents(none).people
        == "In 2 subjects with 0 readings after 2 drinks, Widmark's one-compartment model could not be fitted "
        + "to any series.")
    #expect(try contents(none).determined == "No series could be fitted.")
    for (model, words) in [
      (EliminationModel.firstOrder, "a one-compartment first-order model could"),
      (.michaelisMenten, "a one-compartment Michaelis-Menten model could"),
    ] {
      let other = try StudyEvaluation(
        of: study, fitOptions: FitOptions(model: model), predictionOptions: PredictionOptions(),
        bootstrap: Bootstrap(seed: 1, replicates: 50))
      #expect(try contents(other).people.contains(words))
    }
    study.series = []
    let empty = try StudyEvaluation(
      of: study, fitOptions: FitOptions(), predictionOptions: PredictionOptions(),
      bootstrap: Bootstrap(seed: 1, replicates: 50))
    #expect(try contents(empty).page.html.contains("The study has no series"))
  }

  /// The part of a page for each person is small enough to leave room for thousands: 5,000 fit into 10 MB. Pictures do
  /// not grow with them beyond 1,500 points.
  @Test func personTakesLittleRoom() throws {
    let sizes = try [20, 60].map { count in
      let study = try SmallEvaluation.evaluation((0..<count).map { "person-\($0)" })
      let page = try contents(study).page.html
      return page.replacing(/<figure class="picture">(?s:.*?)<\/figure>/, with: "").utf8.count
    }
    #expect((sizes[1] - sizes[0]) / 40 < 1900, "\(sizes)")
  }

  /// A page with fewer people than the study shows an evenly spread sample and says so; all people are summarised.
  @Test(arguments: [4, 5])
  func shownSampleIsStated(most: Int) throws {
    let study = try SmallEvaluation.evaluation((0..<5).map { "p\($0)" }, detailing: most)
    let contents = try contents(study, shown: most)
    let isSample = most < 5
    #expect(contents.listed.count == most && contents.pictured.count == most)
    #expect(contents.isSample == isSample)
    let page = contents.page.html
    #expect(page.contains("Shown one by one: 4 of 5 series, evenly spread.") == isSample)
    #expect(page.contains("--figures</span> 5;") == isSample)
    #expect(page.contains("Estimates of every series.") != isSample)
    #expect(page.contains("<summary>Every person</summary>") != isSample)
    #expect(page.contains("Predicted and measured, by series and method.") != isSample)
    #expect(contents.people.hasPrefix("In 5 subjects"))
    // The chart of estimates is over all people, and so names everybody.
    let tables = page.replacing(/<figure class="picture">(?s:.*?)<\/figure>/, with: "")
    #expect(tables.contains(">p3<") && tables.contains(">p4<") != isSample)
    #expect(page.contains(/class="title"[^>]*>p3</))
    #expect(page.contains(/class="title"[^>]*>p4</) != isSample)
    #expect(Figure.people(contents.pictured, in: study)?.charts.count == most)
  }

  /// All charts of people have the same axes, those that each alone would stretch the most.
  @Test func figuresOfPeopleShareAxes() throws {
    let study = try SmallEvaluation.evaluation((0..<3).map { "p\($0)" })
    let charts = try #require(Figure.people(study.sample(), in: study)).charts
    let single = study.sample().compactMap { Figure.people([$0], in: study)?.charts.first }
    #expect(Set(charts.map(\.x)).count == 1 && Set(charts.map(\.y)).count == 1)
    #expect(charts.first?.y.high == single.map(\.y.high).max())
    #expect(charts.first?.x.high == single.map(\.x.high).max())
  }

  @Test func densePointsAreThinned() {
    let points = (0..<10_000).map { Chart.Point(x: Double($0), y: 0) }
    guard case .marks(let marks, _, _, _, _) = Figure.points(points, "reading").shape else {
      return
    }
    #expect(marks.count <= Figure.mostPoints && marks.count > 1000)
    #expect(Figure.thinning(10_000) == " One in 7 is drawn.")
  }
}
