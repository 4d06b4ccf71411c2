public import AlcoholKinetics
public import StudyData

/// The elimination line of one series of a study, or the reason why there is none.
public struct EliminationLineFit: Codable, Hashable, Sendable {
  /// The series.
  public let series: Series
  /// The line.
  @CodedResult package private(set) var result: Result<EliminationLine, SeriesFailure>

  /// True if there is no line.
  public var hasFailed: Bool {
    if case .failure = result { true } else { false }
  }

  /// Fits the line of every series of a study, in order. A series without one does not stop the others.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the options ask for something impossible.
  public static func fits(
    of study: Study, options: EliminationLineOptions = EliminationLineOptions()
  ) throws(SeriesFailure) -> [EliminationLineFit] {
    try options.check()
    return study.series.map { EliminationLineFit($0, options) }
  }

  /// Fits the line of every series of a stream, and passes the lines on in order. The number of series in progress is
  /// limited, so that memory does not grow with the study.
  ///
  /// - Parameters:
  ///   - stream: The study.
  ///   - options: The options of the line.
  ///   - jobs: The number of threads. Results are identical for any number.
  ///   - consume: Receives the lines, in the order of the series; called by one thread at a time.
  /// - Returns: The diagnostics of the study as a whole.
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the options ask for something impossible, and
  ///   what the stream and `consume` throw.
  package static func forEach(
    of stream: sending StudyStream, options: EliminationLineOptions = EliminationLineOptions(),
    jobs: Int = 1, _ consume: @escaping @Sendable (EliminationLineFit) throws -> Void
  ) throws -> [Diagnostic] {
    try options.check()
    return try ParallelStream.map(stream, jobs: jobs) {
    } _: { _, series in
      EliminationLineFit(series, options)
    } consume: {
      try consume($0)
    }
  }
}

extension EliminationLineFit {
  fileprivate init(_ series: Series, _ options: EliminationLineOptions) {
    self.series = series
    result = Result { () throws(SeriesFailure) in
      try EliminationLine.fit(series, options: options)
    }
  }
}

extension EliminationLineFit {
  /// The status of the line: beta is undetermined if its interval reaches zero.
  public var status: FitStatus {
    guard let warnings = try? result.get().warnings else { return .failed }
    if warnings.contains(.betaUncertain) { return .undetermined }
    return warnings.contains(.betaRange) || warnings.contains(.rRange) ? .implausible : .ok
  }
}

/// A quantity estimated from a straight line, with its standard error and interval.
public struct LineEstimate<Unit: UnitOfMeasure>: Codable, Hashable, Sendable {
  /// The estimate.
  public let value: Quantity<Unit>
  /// Its standard error.
  public let standardError: Quantity<Unit>
  /// Lower end of the interval.
  public let low: Quantity<Unit>
  /// Upper end of the interval.
  public let high: Quantity<Unit>

  /// Creates an estimate whose interval reaches `quantile` standard errors to either side.
  init(_ value: Double, standardError: Double, quantile: Double) {
    self.value = Quantity(value)
    self.standardError = Quantity(standardError)
    low = Quantity(value - quantile * standardError)
    high = Quantity(value + quantile * standardError)
  }
}

/// The observed distribution factor r of a subject, r = dose / (C0 x weight) (Widmark 1932), with its
/// interval, in kg/kg.
public struct ObservedRFactor: Codable, Hashable, Sendable {
  /// The estimate.
  public let value: RFactor
  /// Lower end of the interval: that of the upper end of C0.
  public let low: RFactor
  /// Upper end of the interval: that of the lower end of C0; nil, for without bound, if that is not
  /// above zero.
  public let high: RFactor?

  /// Transforms C0 and its interval. r falls as C0 rises, so that no distribution of r needs to be assumed.
  init(dose: GramsPerKilogram, c0: LineEstimate<GramPerKilogramUnit>) {
    value = RFactor(dose / c0.value)
    low = RFactor(dose / c0.high)
    high = c0.low > 0 ? RFactor(dose / c0.low) : nil
  }
}
