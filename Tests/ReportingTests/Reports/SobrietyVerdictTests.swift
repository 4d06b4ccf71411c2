import AlcoholKinetics
import Estimation
import StudyData
import StudyFiles
import TestSupport
import Testing
import Validation

@testable import Reporting

/// The answer above the tables of `sober` and `compare`.
@Suite struct SobrietyVerdictTests {
  private static let options = PredictionOptions(methods: RFactorMethods.all())

  /// The study that ships with 24 people.
  private func scores(
    by methods: [any RFactorMethod] = RFactorMethods.all()
  ) throws -> [Score] {
    try scores(PredictionOptions(methods: methods))
  }

  private func scores(_ options: PredictionOptions) throws -> [Score] {
    let study = try StudyReader.read(PackageFolder.dataset("made-up-24"))
    return try Scorer(options).scores(of: study)
  }

  private func verdict(
    _ scores: [Score], _ options: PredictionOptions = Self.options
  ) -> SobrietyVerdict {
    SobrietyVerdict(
      SobrietyComparison(of: scores, bootstrap: Bootstrap(replicates: 200)), options)
  }

  /// With a k_a and beta near those of these people, one method is late and the others are not.
  @Test func verdictAnswersTheQuestion() throws {
    let options = PredictionOptions(
      parameters: .given([.ka: 3.586, .beta: 0.165]), methods: RFactorMethods.all())
    let verdict = verdict(try scores(options), options)
    #expect(verdict.question.hasPrefix("When are they sober? 24 people, 30 occasions, at most 0.0"))
    let answer = verdict.sentences.joined(separator: " ")
    #expect(answer.contains("Widmark is ") && answer.contains(" % too late on average ("))
    #expect(answer.contains("no bias is shown (at most "))
    #expect(answer.contains(" of 10 occasions"))
    #expect(answer.contains("24 people can show differences"))
    #expect(!answer.contains("nan") && !answer.contains("inf"))
  }

  /// By typical values, all are late.
  @Test func verdictJoinsMethodsThatAreLate() throws {
    let answer = verdict(try scores()).sentences.joined(separator: " ")
    #expect(answer.hasPrefix("Widmark, Watson, Forrest"), "\(answer)")
    #expect(answer.contains(" % too late on average") && !answer.contains("no bias is shown"))
    #expect(answer.contains(" of 10 occasions, by method."))
    #expect(!answer.contains("nan") && !answer.contains("inf"))
  }

  /// An r of 0.35 makes everybody late by hours: that is shown.
  @Test func verdictNamesTheWorseMethod() throws {
    let answer = verdict(try scores(by: [Watson(), GivenRFactor(0.35)])).sentences
      .joined(separator: " ")
    #expect(
      answer.contains("Mean |error|: 0.35 by ") && answer.contains(" further off than Watson"),
      "\(answer)")
    #expect(answer.contains("with these k_a and beta"))
  }

  @Test(arguments: [0, 1, 2])
  func verdictOfFewPeopleIsCautious(people: Int) throws {
    let all = try scores()
    let names = Array(Set(all.map(\.series.subject.id)).sorted().prefix(people))
    let verdict = verdict(all.filter { names.contains($0.series.subject.id) })
    let words = ([verdict.question] + verdict.sentences + verdict.remarks).joined(separator: " ")
    #expect(!words.contains("nan") && !words.contains("inf") && !words.contains("  "))
    if people == 0 {
      #expect(verdict.sentences == ["The readings do not show when anybody was sober."])
    }
    if people == 1 { #expect(words.contains("1 person")) }
  }

  /// The first screen is the same by `sober` and by `compare`, and fits on one.
  @Test func verdictFitsTheFirstScreen() throws {
    let scores = try scores()
    let comparison = SobrietyComparison(of: scores, bootstrap: Bootstrap(replicates: 200))
    let report = Report.sobrietySummary(
      comparison, of: scores, options: Self.options, within: TimeErrorEstimate.usualLimits,
      provenance: Sample.provenance)
    for width in [80, 100] {
      let text = report.rendered(as: .table, on: TerminalStyle(width: width))
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      #expect(lines.count <= 24, "\(lines.count) lines at \(width)")
      #expect(lines.allSatisfy { $0.count <= width })
    }
    let everything = report.firstScreen?.question ?? ""
    var detailed = report
    detailed.isDetailed = true
    let whole = detailed.rendered(as: .table)
    #expect(whole.hasPrefix(everything) && whole.count > report.rendered(as: .table).count)
  }

  @Test func otherSharesHaveTheirOwnColumns() throws {
    let scores = try scores()
    let comparison = SobrietyComparison(
      of: scores, within: [5, 50], bootstrap: Bootstrap(replicates: 200))
    let csv = Report.sobrietySummary(
      comparison, of: scores, options: Self.options, within: [5, 50],
      provenance: Sample.provenance
    ).rendered(as: .csv)
    let row = try #require(try CSVText.rows(csv).first)
    #expect(
      row["within_5_pct"] != nil && row["within_50_pct"] != nil && row["within_10_pct"] == nil)
  }
}
