public import Validation

/// All that can be said of a study on one page: what it is, what was left out, every subject's curves
/// and estimates, the methods side by side, residuals, profiles, how it was done, and from what.
public struct StudyReport: Sendable {
  private let page: Page

  /// Lays a report out.
  ///
  /// - Parameters:
  ///   - study: What is reported.
  ///   - evidence: How models with one parameter more fit the study; none if they were not fitted.
  ///   - provenance: How it was made.
  ///   - shown: How many series are shown with pictures, in the study's order.
  public init(
    _ study: StudyEvaluation, evidence: [ModelEvidence] = [], provenance: Provenance, shown: Int
  ) {
    page = StudyReportContents(study, evidence, provenance: provenance, shown: shown).page
  }

  /// The figures, as gnuplot draws them.
  public var figures: [Figure] { page.figures }

  /// The report in HTML, complete in itself.
  ///
  /// - Parameter pictures: The text of the SVG file of each figure by the figure's name; a figure
  ///   without one is left out, its caption stays.
  public func html(pictures: [String: String]) -> String {
    page.html { figure in
      pictures[figure.name].flatMap { InlineSVG.element($0, of: figure) }
    }
  }

  /// The report in Markdown.
  ///
  /// - Parameter folder: Where the pictures are, seen from the report; nil if there are none.
  public func markdown(picturesIn folder: String?) -> String {
    page.markdown { figure in
      folder.map { "\($0)/\(figure.name).svg" }
    }
  }
}
