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
    let effects =
      pictures("population-eta")
      + table(
        "eta_covariates", "Correlations of random effects with covariates, with 95 % intervals.")
    let parts: [[Block]] = [
      [
        .heading(2, "Population"),
        .paragraph(
          "Each person has parameters of their own, whose logarithms are spread normally about those of a "
            + "typical person (nonlinear mixed effects)."),
      ],
      table("population", "Fits, by method for r."),
      table("typical", "Typical values, with 95 % intervals."),
      table(
        "between", "Differences between people, of logarithms, with 95 % intervals of variances."),
      table("within", "Differences between occasions, of logarithms."),
      table("covariates", "Effects of covariates."), table("residual", "Residual error."),
      table("left_out", "Series that could not be used."), Block.some(.points(report.notes)),
      [.heading(2, "Predictions and residuals")], pictures("population-fit"),
      table(
        "standard_normal",
        "Are residuals standard normal? p values of mean, variance, and normality (Shapiro and Wilk)."
      ),
      pictures("population-npde"), [.heading(2, "Predictive check")], pictures("population-vpc"),
      effects.isEmpty ? [] : [.heading(2, "Covariates")] + effects,
    ]
    return parts.flatMap(\.self)
  }
}
