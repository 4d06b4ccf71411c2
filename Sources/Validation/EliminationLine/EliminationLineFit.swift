public import StudyData

/// The elimination line of one series of a study, or the reason why there is none.
public struct EliminationLineFit: Sendable {
  /// The series.
  public let series: Series
  /// The line.
  public let result: Result<EliminationLine, SeriesFailure>

  /// Whether there is no line.
  public var hasFailed: Bool {
    if case .failure = result { true } else { false }
  }

  /// Draws the line of every series of a study, in order. One that has none does not stop the
  /// others.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the options ask for something impossible.
  public static func fits(
    of study: Study, options: EliminationLineOptions = EliminationLineOptions()
  ) throws(SeriesFailure) -> [EliminationLineFit] {
    try options.check()
    return study.series.map { series in
      EliminationLineFit(
        series: series,
        result: Result { () throws(SeriesFailure) in
          try EliminationLine.fit(series, options: options)
        })
    }
  }
}
