import AlcoholKinetics
import Estimation
import Reporting
import StudyData
import StudyStore

extension StoredRun {
  /// Takes a run from its report: a row of its first table for each result.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - fits: The fits behind the rows, if there are any; their parameters are kept apart from
  ///     other numbers.
  init(_ report: Report, fits: [StudyFit] = []) {
    let provenance = report.provenance
    self.init(
      command: provenance.command,
      version: provenance.version,
      options: provenance.options.map { Option(name: $0.name, json: $0.value.line) },
      inputs: provenance.inputs,
      factors: provenance.factors,
      results: report.sections.first.map { Self.results(of: $0.table, fits) } ?? [])
  }

  private static func results(of table: Table, _ fits: [StudyFit]) -> [StoredResult] {
    table.rows.enumerated().map { index, row in
      let cells = Dictionary(
        zip(table.headers, row).compactMap { header, cell in header.name.map { ($0, cell) } },
        uniquingKeysWith: { first, _ in first })
      let fit = fits.indices.contains(index) ? fits[index] : nil
      return StoredResult(
        subject: cells["subject"]?.words ?? "",
        occasion: cells["occasion"]?.words,
        // A fit is one of its series, wherever its r came from: that is an option.
        method: fit == nil ? cells["r_factor"]?.words ?? cells["model"]?.words : nil,
        status: cells["status"]?.words ?? "ok",
        reason: cells["reason"]?.words,
        fits: fit.map(parameters) ?? [],
        metrics: metrics(in: zip(table.headers, row), besidesParameters: fit != nil))
    }
  }

  private static func metrics(
    in cells: Zip2Sequence<[Table.Header], [Cell]>, besidesParameters: Bool
  ) -> [StoredMetric] {
    cells.compactMap { header, cell in
      guard let name = header.name, let number = cell.number,
        !(besidesParameters && FitParameter.allCases.contains { $0.isSubject(of: name) })
      else { return nil }
      return StoredMetric(name: name, value: number)
    }
  }

  private static func parameters(of fit: StudyFit) -> [StoredFit] {
    guard case .success(let value) = fit.result else { return [] }
    return FitParameter.allCases.sorted().compactMap { parameter in
      guard let number = value.values[parameter], number.isFinite else { return nil }
      let estimate = value.estimates[parameter]
      return StoredFit(
        parameter: parameter.rawValue, unit: parameter.unit, value: number,
        standardError: estimate?.standardError, low: estimate?.low, high: estimate?.high,
        isIdentifiable: estimate?.isIdentifiable, isEstimated: estimate != nil)
    }
  }
}

extension FitParameter {
  /// Whether a column holds something of the parameter.
  fileprivate func isSubject(of column: String) -> Bool {
    column == rawValue || column.hasPrefix("\(rawValue)_")
  }
}

extension Cell {
  fileprivate var words: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  fileprivate var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let number): number
    case .text, .missing: nil
    }
  }
}
