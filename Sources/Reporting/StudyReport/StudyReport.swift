import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Page {
  /// A study as an article: the answer with a table and a picture, people, parameters, readings left out, how it was
  /// computed and from what. Everything else is in an appendix that opens on demand.
  ///
  /// - `evidence`: How models with one parameter more fit the study; none if they were not fitted.
  /// - `population`: A fit of everybody at once, if the report is to show one.
  /// - `shown`: How many series are shown with pictures, evenly spread over the study.
  /// - `isAppendixOpen`: Whether the appendix is open, and so is printed.
  public static func report(
    on study: StudyEvaluation, evidence: [ModelEvidence] = [],
    population: PopulationAnswer? = nil, provenance: Provenance,
    shown: Int,
    isAppendixOpen: Bool = false
  ) -> Page {
    StudyReportContents(
      study, evidence,
      population: population.map { populationBlocks($0, provenance) } ?? [],
      provenance: provenance, shown: shown, isAppendixOpen: isAppendixOpen
    ).page
  }
}

struct StudyReportContents {
  let study: StudyEvaluation
  /// How models with one parameter more fit the study; none if they were not fitted.
  let evidence: [ModelEvidence]
  /// The sections on a population; none if there is none.
  let populationBlocks: [Block]
  let provenance: Provenance
  /// The series that are shown with pictures.
  let pictured: [SeriesEvaluation]
  /// The series that have rows in tables of series.
  let listed: [SeriesEvaluation]
  let isAppendixOpen: Bool
  let diagnostics: StudyDiagnostics
  /// The report of the fits, on which several sections draw.
  let fits: Report

  init(
    _ study: StudyEvaluation, _ evidence: [ModelEvidence],
    population: [Block] = [],
    provenance: Provenance, shown: Int, isAppendixOpen: Bool = false
  ) {
    self.isAppendixOpen = isAppendixOpen
    self.study = study
    populationBlocks = population
    self.evidence = evidence
    self.provenance = provenance
    pictured = study.sample(shown)
    listed = study.sample()
    diagnostics = StudyDiagnostics(
      of: study.series.map(\.fit), error: study.fitOptions.studyError)
    fits = .fit(
      study.series.map(\.fit), diagnostics: diagnostics, options: study.fitOptions,
      provenance: provenance)
  }

  var series: [Series] { study.series.map(\.series) }
  var studyFits: [StudyFit] { study.series.map(\.fit) }

  /// Which series a table of series has.
  var theListed: String {
    isSample ? "\(listed.count) of \(series.count) series, evenly spread" : "every series"
  }
  var isSample: Bool { listed.count < series.count }

  var subjects: [Subject] {
    Dictionary(grouping: series, by: \.subject.id).compactMap(\.value.first?.subject)
  }

  /// How many men and women there are, in numbers and in words.
  var sexes: [(count: Int, words: String)] {
    [("man", "men", Sex.male), ("woman", "women", Sex.female)].map { one, many, sex in
      let count = subjects.count { $0.sex == sex }
      return (count, count.counted(one, many))
    }
  }

  var page: Page {
    let title = study.study.title ?? study.study.name
    return Page(
      title: title,
      blocks: [.heading(1, title)] + provenance.origin + answerBlocks + peopleBlocks
        + parameterBlocks + leftOutBlocks + populationBlocks + howBlocks + provenance.blocks
        + appendixBlocks)
  }

  private var appendixBlocks: [Block] {
    let sections: [(title: String, blocks: [Block])] = [
      ("The study", studyBlocks), (isSample ? "A sample of people" : "Every person", curveBlocks),
      (isSample ? "Estimates of a sample" : "Estimates of every occasion", estimateBlocks),
      ("Methods compared", methodBlocks),
      ("Residuals", residualBlocks), ("All series together", togetherBlocks),
      ("Profile likelihood", profileBlocks),
    ]
    return [
      .heading(2, "Appendix"),
      .paragraph(
        "A line opens what it names. What is open is printed; --appendix opens everything."),
    ]
      + sections.filter { !$0.blocks.isEmpty }.map {
        .details($0.title, $0.blocks, isOpen: isAppendixOpen)
      }
  }
}
