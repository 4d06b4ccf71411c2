import AlcoholKinetics
public import StudyData

/// Predicts times to sobriety and compares them with the readings.
public struct SobrietyScorer {
  /// How times are predicted.
  public let options: SobrietyOptions

  private let predictors: [Predictor]

  /// Prepares to score.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the options ask for something impossible.
  public init(options: SobrietyOptions = SobrietyOptions()) throws(SeriesFailure) {
    guard options.threshold >= 0 else {
      throw .badOptions("the threshold is \(options.threshold); it must be 0 or more")
    }
    self.options = options
    var predictors: [Predictor] = []
    for method in options.methods {
      predictors.append(try Predictor(method, options))
    }
    self.predictors = predictors
  }

  /// Scores every method on every series of a study, series by series.
  public func scores(of study: Study) -> [SobrietyScore] {
    study.series.flatMap(scores)
  }

  /// Scores every method on a series.
  public func scores(of series: Series) -> [SobrietyScore] {
    let measured = measuredSobriety(of: series)
    return predictors.map { predictor in
      SobrietyScore(
        series: series,
        rFactor: predictor.method.name,
        prediction: Result { () throws(SeriesFailure) in
          try predictor.prediction(for: series, threshold: options.threshold)
        },
        measured: measured)
    }
  }

  /// Scores a predicted curve that came from outside, given as concentrations at times.
  ///
  /// - Parameters:
  ///   - curve: The predicted concentrations of the series, in order of time.
  ///   - series: The series with its readings.
  public func score(_ curve: [Reading], for series: Series) -> SobrietyScore {
    let predicted = MeasuredSobriety(
      readings: curve, threshold: options.threshold, start: series.start, factors: options.factors)
    let prediction: Result<SobrietyPrediction, SeriesFailure> =
      switch predicted {
      case .noReadings: .failure(.curveMissing)
      case .notReached: .failure(.curveEndsAbove)
      case .neverAbove: .success(SobrietyPrediction(parameters: nil, time: nil))
      case .reached(_, let first): .success(SobrietyPrediction(parameters: nil, time: first))
      }
    return SobrietyScore(
      series: series, rFactor: "given-curve", prediction: prediction,
      measured: measuredSobriety(of: series))
  }

  private func measuredSobriety(of series: Series) -> MeasuredSobriety {
    MeasuredSobriety(
      readings: series.readings, threshold: options.threshold, start: series.start,
      factors: options.factors)
  }
}
