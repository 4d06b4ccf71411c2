import AlcoholKinetics
package import Estimation
package import StudyData

/// The parts of a method's error in the time to sobriety that are due to r, to elimination and to absorption.
///
/// Each of the three is replaced by the subject's own estimate. Its share is the fall of the mean
/// absolute error, averaged over all orders of replacing (Shapley value). Own estimates are fitted
/// to the readings they are judged by, so shares are upper limits. Only subjects count whose
/// readings determine all three.
///
/// Source: L. S. Shapley, "A value for n-person games", Contributions to the Theory of Games II (1953) 307-317.
package struct TimeErrorShares: Codable, Hashable, Sendable {
  /// The parts of a prediction.
  package enum Part: String, CaseIterable, Codable, CodingKeyRepresentable, Hashable, Sendable {
    case r
    /// beta, or the elimination parameters of other models.
    case elimination
    /// k_a and the lag.
    case absorption
  }

  package let method: String
  /// The number of subjects whose readings determine all three.
  package let subjects: Int
  /// The number of subjects with a known time and a prediction.
  package let known: Int
  /// The mean absolute error of these subjects, in min.
  package let meanAbsoluteMinutes: Double
  /// The share of it that each part explains, in percent, with its interval over subjects.
  package let percent: [Part: EstimatedValue]
  /// The share that all parts together explain, in percent.
  package let all: EstimatedValue

  /// The part that most of the error is due to.
  package var largest: Part {
    Part.allCases.max { (percent[$0]?.value ?? 0) < (percent[$1]?.value ?? 0) } ?? .r
  }

  /// The fewest subjects for a result.
  package static let fewest = 3
  /// The most subjects to fit.
  private static let mostFitted = 200

  /// Splits the errors of every r-factor method; empty if the parameters are fitted, without
  /// methods that have too few subjects.
  ///
  /// - `scores`: The scores of a study, series by series.
  /// - `fits`: Its fits, with r estimated; nil to fit at most 200 of its subjects.
  package static func all(
    of scores: [Score], _ options: PredictionOptions, fits: [StudyFit]? = nil,
    instrument: Instrument? = nil, bootstrap: Bootstrap = Bootstrap(), jobs: Int = 1
  ) throws(SeriesFailure) -> [TimeErrorShares] {
    if case .fitted = options.parameters { return [] }
    var ownFits = fits ?? []
    if fits == nil {
      let series = scores.grouped(by: \.series.key).map { $0.values[0].series }
      let study = Study(name: "", instrument: instrument, series: series)
      ownFits = try StudyFit.fits(
        of: study.evenlySampled(most: mostFitted),
        options: FitOptions(
          model: options.model, estimate: options.model.defaultEstimate.union([.r]),
          selection: options.selection, engine: options.engine, factors: options.factors),
        jobs: jobs)
    }
    let ownEstimates = Dictionary(
      ownFits.compactMap { fit -> (SeriesKey, ModelParameters)? in
        guard fit.status == .ok, let value = try? fit.result.get(), value.estimates[.r] != nil
        else { return nil }
        return (fit.series.key, value.parameters)
      }, uniquingKeysWith: { first, _ in first })
    let scored = scores.filter { !$0.isGiven && $0.error != nil }
    return scored.grouped(by: \.method).compactMap { method, scores in
      TimeErrorShares(method, scores, ownEstimates, bootstrap)
    }
  }

  /// All subsets of the parts, as bit sets.
  private static let subsets = 0..<(1 << Part.allCases.count)

  private init?(
    _ method: String, _ scores: [Score], _ ownEstimates: [SeriesKey: ModelParameters],
    _ bootstrap: Bootstrap
  ) {
    let rows = scores.compactMap { score -> (Score, [SobrietyError?])? in
      guard let predicted = score.parameters, let fitted = ownEstimates[score.series.key],
        let errors = Self.errors(of: score, predicted, fitted)
      else { return nil }
      return (score, errors)
    }
    let expected = ExpectedTimeErrors.magnitudes(
      rows.map(\.1), isGiven: rows.map { $0.1.map { _ in false } }, of: rows.map(\.0.series))
    let complete = zip(rows, expected).compactMap { row, errors -> (String, [Double])? in
      let errors = errors.compactMap(\.self)
      return errors.count == Self.subsets.count ? (row.0.series.subject.id, errors) : nil
    }
    // The mean over the occasions of each subject.
    let bySubject = complete.grouped(by: \.0).map { _, rows in
      Self.subsets.map { subset in rows.map { $0.1[subset] }.reduce(0, +) / Double(rows.count) }
    }
    guard bySubject.count >= Self.fewest else { return nil }
    let none = bySubject.map { $0[0] }
    let total = none.reduce(0, +)
    guard total > 0 else { return nil }
    let vanishing = Part.allCases.indices.map { part in bySubject.map { Self.shapley($0, part) } }
    let withAll = bySubject.map { $0[0] - $0[Self.subsets.count - 1] }
    let asked = Bootstrap.SumStatistics(
      columns: [none] + vanishing + [withAll], width: Part.allCases.count + 1
    ) { sums in sums.dropFirst().map { sums[0] > 0 ? 100 * $0 / sums[0] : nil } }
    let intervals = bootstrap.intervals(of: [asked])[0]
    self.method = method
    subjects = bySubject.count
    known = Set(scores.map(\.series.subject.id)).count
    meanAbsoluteMinutes = total / Double(bySubject.count)
    percent = Dictionary(
      uniqueKeysWithValues: Part.allCases.enumerated().map { index, part in
        let value = 100 * vanishing[index].reduce(0, +) / total
        return (part, EstimatedValue(value: value, interval: intervals[index]))
      })
    all = EstimatedValue(
      value: 100 * withAll.reduce(0, +) / total, interval: intervals[Part.allCases.count])
  }

  /// The errors of a series with each subset of parts replaced by its own estimates; nil if some curve has no time.
  private static func errors(
    of score: Score, _ predicted: ModelParameters, _ fitted: ModelParameters
  ) -> [SobrietyError?]? {
    let threshold = score.threshold.concentration
    guard let measured = score.error?.measured else { return nil }
    var errors: [SobrietyError?] = []
    for subset in subsets {
      var values = predicted.values
      for (index, part) in Part.allCases.enumerated() where subset & (1 << index) != 0 {
        for parameter in part.parameters(of: predicted.model) {
          values[known: parameter] = fitted.values[known: parameter]
        }
      }
      let parameters = ModelParameters(predicted.model, known: values)
      guard let prediction = try? MethodPrediction(parameters, of: score.series.regimen()),
        let time = try? prediction.sobriety(threshold: threshold)
      else { return nil }
      errors.append(SobrietyError(predicted: time.minutes, measured: measured))
    }
    return errors
  }

  /// The Shapley value of a part: the fall of the error when it is replaced, averaged over all orders.
  private static func shapley(_ errors: [Double], _ part: Int) -> Double {
    let bit = 1 << part
    let count = Part.allCases.count
    func factorial(_ n: Int) -> Int { (1...max(1, n)).reduce(1, *) }
    return subsets.filter { $0 & bit == 0 }.reduce(0) { sum, subset in
      let before = subset.nonzeroBitCount
      // Orders in which exactly these come first: b! (n - 1 - b)! of n!.
      let orders = factorial(before) * factorial(count - 1 - before)
      let weight = Double(orders) / Double(factorial(count))
      return sum + weight * (errors[subset] - errors[subset | bit])
    }
  }
}

extension TimeErrorShares.Part {
  fileprivate func parameters(of model: EliminationModel) -> [FitParameter] {
    switch self {
    case .r: [.r]
    case .elimination: model.defaultEstimate.subtracting([.ka, .r]).sorted()
    case .absorption: [.ka, .lag]
    }
  }
}
