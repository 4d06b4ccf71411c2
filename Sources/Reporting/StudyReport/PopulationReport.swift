extension Page {
  /// A population fit on one page: its values, and what the readings say of it.
  ///
  /// - `title`: The name of the study.
  public static func population(
    _ answer: PopulationAnswer, title: String, provenance: Provenance
  ) -> Page {
    Page(
      title: title,
      blocks: [.heading(1, title)] + provenance.origin + populationBlocks(answer, provenance)
        + provenance.blocks)
  }

  /// The sections without title and provenance, for another page.
  static func populationBlocks(_ answer: PopulationAnswer, _ provenance: Provenance) -> [Block] {
    let report = Report.population(answer, provenance: provenance)
    func table(_ name: String, _ caption: String) -> [Block] {
      report.sections.filter { $0.name == name && $0.table.isForPeople }
        .map { .table($0.table, caption: caption) }
    }
    let figures = answer.diagnostics.map(Figure.population) ?? []
    func pictures(_ names: String...) -> [Block] {
      figures.filter { figure in names.contains { figure.name.hasPrefix($0) } }.map(Block.figure)
    }
    var blocks: [Block] = [
      .heading(2, "Population"),
      .paragraph(
        "Each person has parameters of their own, whose logarithms are spread normally about those of a "
          + "typical person (nonlinear mixed effects)."),
    ]
    blocks += table("population", "Fits, by method for r.")
    blocks += table("typical", "Typical values, with 95 % intervals.")
    blocks += table(
      "between", "Differences between people, of logarithms, with 95 % intervals of variances.")
    blocks += table("within", "Differences between occasions, of logarithms.")
    blocks += table("covariates", "Effects of covariates.")
    blocks += table("residual", "Residual error.")
    blocks += table("left_out", "Series that could not be used.")
    if !report.notes.isEmpty { blocks.append(.list(report.notes)) }
    blocks += [.heading(2, "Predictions and residuals")] + pictures("population-fit")
    blocks += table(
      "standard_normal",
      "Are residuals standard normal? p values of mean, variance, and normality (Shapiro and Wilk)."
    )
    blocks += pictures("population-npde")
    blocks += [.heading(2, "Predictive check")] + pictures("population-vpc")
    let effects =
      pictures("population-eta")
      + table(
        "eta_covariates", "Correlations of random effects with covariates, with 95 % intervals.")
    if !effects.isEmpty { blocks += [.heading(2, "Covariates")] + effects }
    return blocks
  }
}
