import AlcoholKinetics
import Certification
import Estimation
import StudyData
import TestSupport
import Testing
import Validation

@testable import Reporting

/// The three sentences at the top of a report.
@Suite struct StudySummaryTests {
  private func contents(_ study: StudyEvaluation) throws -> StudyReportContents {
    StudyReportContents(
      study, try StudyVerification(of: [], in: study.study, options: study.fitOptions, jobs: 1), [],
      provenance: Provenance(
        version: "0", command: "report", options: [], inputs: [], factors: ConversionFactors()),
      shown: 0)
  }

  private func sentences(of summary: String) -> Int {
    summary.ranges(of: ". ").count + (summary.hasSuffix(".") ? 1 : 0)
  }

  @Test func tellsWhatWasFittedDeterminedAndPredicted() throws {
    let study = try SmallEvaluation.evaluation((1...4).map { "p\($0)" })
    let summary = try contents(study).summary
    #expect(sentences(of: summary) == 3, "\(summary)")
    #expect(
      summary.hasPrefix(
        "In 4 subjects (4 men) with 48 blood-alcohol readings after 4 drinks, Widmark's one-compartment "
          + "model was fitted to all 4 series. "))
    let fits = study.series.compactMap(\.fit.result.value)
    let betas = fits.compactMap { $0.estimates[.beta] }.filter { $0.isIdentifiable == true }
    let values = betas.map(\.value).sorted()
    let style = NumberStyle.significant(3)
    #expect(values.count == 4)
    #expect(
      summary.contains(
        "beta in 4 of 4 series (median \(style.format((values[1] + values[2]) / 2)) g/kg/h, range "
          + "\(style.format(values[0])) to \(style.format(values[3])))"))
    #expect(
      summary.contains(
        "The mean absolute error of the predicted time to sobriety was, within the limits that the "
          + "readings of all 4 series set, "))
    for name in study.predictionOptions.methods.map(\.name) {
      #expect(summary.contains("(\(name)"))
    }
  }

  /// An interval from the covariance does not tell whether readings determine a parameter.
  @Test(arguments: [nil, IntervalOptions(kind: .wald)])
  func saysNothingOfDeterminationWithoutProfiles(interval: IntervalOptions?) throws {
    let study = try StudyEvaluation(
      of: try SmallEvaluation.study(["ann", "bob"]),
      fitOptions: FitOptions(fixed: [.r: 0.65], interval: interval),
      predictionOptions: PredictionOptions(), bootstrap: Bootstrap(seed: 1, replicates: 50))
    let summary = try contents(study).summary
    #expect(
      summary.contains(" Estimates, not checked by profile likelihood, were obtained of k_a in 2 "))
    #expect(!summary.contains("determined") && sentences(of: summary) == 3)
  }

  /// Where nothing can be fitted or scored, it says that.
  @Test func saysWhereNothingIsKnown() throws {
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
    let summary = try contents(none).summary
    #expect(
      summary.hasPrefix(
        "In 2 subjects with 0 readings after 2 drinks, Widmark's one-compartment model could not be fitted "
          + "to any series. No parameter was estimated. No predicted time to sobriety could be scored, "
          + "because "))
    #expect(sentences(of: summary) == 3)
    study.series = []
    let empty = try StudyEvaluation(
      of: study, fitOptions: FitOptions(), predictionOptions: PredictionOptions(),
      bootstrap: Bootstrap(seed: 1, replicates: 50))
    #expect(sentences(of: try contents(empty).summary) == 3)
    #expect(try contents(empty).page.html.contains("The study has no series"))
  }

  /// What each person adds to a page leaves room for thousands: 5,000 fit into 10 MB. Pictures do not grow
  /// with them beyond 1,500 points.
  @Test func aPersonTakesLittleRoom() throws {
    let sizes = try [20, 60].map { count in
      let study = try SmallEvaluation.evaluation((0..<count).map { "person-\($0)" })
      let page = try contents(study).page.html
      return page.replacing(/<figure class="picture">(?s:.*?)<\/figure>/, with: "").utf8.count
    }
    #expect((sizes[1] - sizes[0]) / 40 < 1900, "\(sizes)")
  }

  @Test func pointsBeyondWhatAnEyeTellsApartAreThinned() {
    let points = (0..<10_000).map { Chart.Point(x: Double($0), y: 0) }
    guard case .marks(let marks, _, _, _) = Figure.points(points, "reading").shape else { return }
    #expect(marks.count <= Figure.mostPoints && marks.count > 1000)
    #expect(Figure.thinning(10_000) == " One in 7 is drawn.")
  }
}
