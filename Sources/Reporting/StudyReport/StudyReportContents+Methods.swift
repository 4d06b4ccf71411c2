import AlcoholKinetics
import Validation

extension StudyReportContents {
  /// The r-factor methods side by side.
  var methodBlocks: [Block] {
    let report = Report.comparisonSummary(
      study.summary, options: study.predictionOptions, level: study.bootstrap.level,
      pairsFirst: false, provenance: provenance)
    let comparisons = study.series.flatMap(\.comparisons)
    let sobriety = Report.sobriety(
      comparisons.map(\.sobriety), options: study.predictionOptions, provenance: provenance)
    let captions = [
      "Methods summed up.", "All methods at once.", "Pairs of methods.",
      "How many times to sobriety are known how.",
    ]
    let tables = zip(report.sections.map(\.table), captions).filter(\.0.isForPeople).map {
      Block.table($0, caption: $1)
    }
    let figures = [
      Figure.methods(of: study), Figure.sobrietyErrors(of: study), Figure.blandAltman(of: study),
    ].compactMap(\.self).map(Block.figure)
    return [
      .heading(2, "r factors compared"),
      .paragraph(predictedWith),
    ] + figures + [.paragraph(report.introduction.joined(separator: " "))] + tables
      + (report.notes.isEmpty ? [] : [.list(report.notes)]) + [
        .heading(3, "Time to sobriety"),
        .paragraph(sobriety.introduction.joined(separator: " ")),
        .table(
          sobriety.sections[0].table, caption: "Predicted and measured, by series and method."),
      ]
  }

  private var predictedWith: String {
    let symbols = study.predictionOptions.model.kineticSymbols
    let source =
      switch study.predictionOptions.parameters {
      case .given: "\(study.predictionOptions.givenValues) for everybody"
      case .fitted:
        "\(symbols) fitted to the same readings for each r, which tells how well they can be met "
          + "with that r and not how well they would have been predicted"
      case .leftOut: "the median \(symbols) of the fits of all other subjects"
      }
    return
      "Each method predicts a curve with \(source), and its own r. A method without a formula for "
      + "a subject is left out for that subject."
      + (PredictionOptions.waterLine(of: study.predictionOptions.methods).map { " " + $0 } ?? "")
  }
}
