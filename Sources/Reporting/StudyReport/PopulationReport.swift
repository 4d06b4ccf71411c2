public import Population

extension Page {
  /// A population fit on one page: its values, and what the readings say of it.
  ///
  /// - `fits`: The fits, by the name of the r-factor method.
  /// - `judged`: The diagnostics of the best.
  /// - `remarks`: What else there is to say, as of methods that are not ranked.
  /// - `title`: The name of the study.
  public static func population(
    _ fits: [(rFactor: String, fit: PopulationFit)], judged: JudgedPopulation,
    remarks: [String] = [], title: String, provenance: Provenance
  ) -> Page {
    Page(
      title: title,
      blocks: [.heading(1, title)] + provenance.origin
        + populationBlocks(fits, judged, remarks, provenance) + provenance.blocks)
  }

  /// The sections without title and provenance, for another page.
  static func populationBlocks(
    _ fits: [(rFactor: String, fit: PopulationFit)], _ judged: JudgedPopulation,
    _ remarks: [String], _ provenance: Provenance
  ) -> [Block] {
    let report = Report.population(
      fits, judged: judged, remarks: remarks, provenance: provenance)
    func table(_ name: String, _ caption: String) -> [Block] {
      report.sections.filter { $0.name == name && $0.table.isForPeople }
        .map { .table($0.table, caption: caption) }
    }
    let figures = Figure.population(judged.diagnostics)
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
