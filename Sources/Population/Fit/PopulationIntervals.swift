import AlcoholKinetics
public import Estimation
import RealModule
import StudyData

// Confidence intervals with degrees of freedom by the number of subjects or studies, and intervals of variances that
// were estimated as zero.

extension PopulationFit {
  /// The small-sample correction for the mean of a parameter. Its units are those of the highest level with variability:
  /// studies, then subjects, then occasions, else readings. Each covariate on the parameter takes a degree of freedom.
  func units(of parameter: PopulationParameter) -> SmallSampleCorrection {
    let means = 1 + model.covariates.count { $0.parameter == parameter }
    return if model.studyLevel.contains(parameter) {
      SmallSampleCorrection(studies.count, means: means)
    } else if model.random.contains(parameter) {
      SmallSampleCorrection(individuals.count, means: means)
    } else if model.occasional.contains(parameter) {
      SmallSampleCorrection(seriesCount, means: means)
    } else {
      SmallSampleCorrection(quantifiedCount, means: estimatedCount)
    }
  }

  /// The small-sample correction for a variance. Below the highest level, deviations are from the means of the level above,
  /// which its degrees of freedom account for.
  func units(of parameter: PopulationParameter, _ level: PopulationLevel) -> SmallSampleCorrection {
    switch level {
    case .study: units(of: parameter)
    case .person:
      model.studyLevel.contains(parameter)
        ? SmallSampleCorrection(individuals.count - studies.count, means: 0) : units(of: parameter)
    case .occasion:
      model.random.contains(parameter)
        ? SmallSampleCorrection(seriesCount - individuals.count, means: 0) : units(of: parameter)
    }
  }

  /// The degrees of freedom of the interval of a typical value.
  public func degreesOfFreedom(of parameter: PopulationParameter) -> Int {
    units(of: parameter).degreesOfFreedom
  }

  /// The 95 % confidence interval of a typical value in its unit, by its index: by Student's t, or the profile or bootstrap
  /// interval if one was made. Nil without a standard error or degrees of freedom.
  public func typicalInterval(_ index: Int) -> Interval? {
    if let otherIntervals { return otherIntervals.typical[index] }
    return interval(values.typical[index], uncertainty?.typical[index], model.parameters[index])
      .map { Interval(low: .exp($0.low), high: .exp($0.high)) }
  }

  /// The bias of a typical value by the bootstrap in percent of it, by its index: the mean of the replicates less the
  /// estimate (Efron & Tibshirani 1993, section 10.2). Nil without a bootstrap.
  package func typicalBias(_ index: Int) -> Double? {
    guard let all = otherIntervals?.typicalBias, index < all.count, let bias = all[index] else {
      return nil
    }
    return 100 * bias / .exp(values.typical[index])
  }

  /// The bias of the variance of a parameter's logarithm, as ``typicalBias(_:)``.
  package func varianceBias(
    of parameter: PopulationParameter, between level: PopulationLevel
  ) -> Double? {
    guard let row = model[level].firstIndex(of: parameter),
      let bias = otherIntervals?.varianceBias[level]?[row]
    else { return nil }
    return 100 * bias / values[level][row, row]
  }

  /// The 95 % confidence interval of a covariate coefficient, by its index: by Student's t, or as for typical values.
  public func coefficientInterval(_ index: Int) -> Interval? {
    if let otherIntervals { return otherIntervals.coefficients[index] }
    return interval(
      values.coefficients[index], uncertainty?.coefficients[index],
      model.covariates[index].parameter)
  }

  private func interval(
    _ center: Double, _ error: Double?, _ parameter: PopulationParameter
  ) -> Interval? {
    error.flatMap { units(of: parameter).margin($0) }.map {
      Interval(low: center - $0, high: center + $0)
    }
  }

  /// The 95 % confidence interval of the variance of a parameter's logarithm: by chi squared, or by likelihood ratio for a
  /// variance estimated as zero. Nil without an upper limit.
  public func varianceInterval(
    of parameter: PopulationParameter, between level: PopulationLevel
  ) -> Interval? {
    if let otherIntervals, let row = model[level].firstIndex(of: parameter),
      let interval = otherIntervals.variances[level]?[row]
    {
      return interval
    }
    if let boundary = boundaries.first(where: { $0.level == level && $0.parameter == parameter }) {
      return boundary.high.map { Interval(low: 0, high: $0) }
    }
    guard let (variance, error) = variance(of: parameter, between: level), let error else {
      return nil
    }
    return units(of: parameter, level).varianceInterval(variance, standardError: error)
  }

  /// A variance with its standard error; nil if the parameter has no variance on this level.
  package func variance(
    of parameter: PopulationParameter, between level: PopulationLevel
  ) -> (variance: Double, error: Double?)? {
    let errors =
      switch level {
      case .study: uncertainty?.studies
      case .person: uncertainty?.between
      case .occasion: uncertainty?.within
      }
    return model[level].firstIndex(of: parameter).map { row in
      (values[level][row, row], (errors?[row]).flatMap { $0.isFinite ? $0 : nil })
    }
  }

  /// The variances estimated as zero, with their upper 95 % limits by profile likelihood.
  ///
  /// If a variance is zero, its likelihood ratio is 0 in half of all studies, and else chi squared with 1 degree of
  /// freedom (Self & Liang 1987). A rise by the squared 97.5 % normal quantile therefore covers 97.5 %; with few units
  /// Student's quantile replaces it.
  func boundaries(of search: PopulationSearch) -> [Boundary] {
    let coordinates = search.objective.data.coordinates
    let vector = coordinates.vector(search.values)
    return vector.indices.filter { coordinates.isSmallest($0, vector) }.compactMap { index in
      guard let (level, row) = coordinates.spread(at: index) else { return nil }
      let parameter = model[level][row]
      var high: Double?
      // In a full Cholesky factor the coordinate is the conditional variance, which has no such limit.
      if search.objective.options.isUncertaintyWanted, !model.isFull || level == .study,
        let quantile = units(of: parameter, level).quantile,
        let spread = search.upperSpread(at: index, rise: quantile * quantile)
      {
        high = spread * spread
      }
      return Boundary(level: level, parameter: parameter, high: high)
    }
  }
}

extension PopulationFit {
  /// The kind of confidence intervals.
  public enum Intervals: String, CaseIterable, Codable, Sendable {
    /// From standard errors.
    case wald
    /// By profile likelihood.
    case profile
    /// Percentiles of fits to resampled subjects, or studies where these differ.
    case bootstrap

    /// The default number of bootstrap replicates; 0 for other kinds.
    public var usualReplicates: Int { self == .bootstrap ? 200 : 0 }
  }

  /// 95 % intervals by profile likelihood or bootstrap; nil where there is none.
  package struct OtherIntervals: Sendable {
    /// The kind of the intervals.
    package let kind: Intervals
    /// Intervals of the typical values, each in its unit.
    package let typical: [Interval?]
    /// Intervals of the covariate coefficients.
    package let coefficients: [Interval?]
    /// Intervals of the variances, by level; nil where the Wald interval applies.
    package let variances: [PopulationLevel: [Interval?]]
    /// The mean of the bootstrap replicates less the estimate, of typical values in their unit and of variances; nil where
    /// there is no bootstrap interval.
    package var typicalBias: [Double?] = []
    package var varianceBias: [PopulationLevel: [Double?]] = [:]
    /// The number of bootstrap replicates.
    package let replicates: Int
    /// The number of replicates that did not converge and were left out.
    package let failed: Int
  }

  // MARK: Bootstrap

  /// Percentile bootstrap intervals: units are resampled, and each fit starts at the estimates (Efron & Tibshirani 1993,
  /// section 13.3).
  func resampled(_ data: PopulationData, _ options: Options) -> OtherIntervals {
    let units = data.studies.isEmpty ? data.series : data.seriesByStudy(model.studyColumn)
    var refit = options.withoutUncertainty
    refit.jobs = 1
    refit.starts = 1
    refit.startValues = values
    refit.centers = centers
    refit.progress = nil
    let replicates = options.replicates ?? options.intervals.usualReplicates
    options.progress?("fitting \(replicates) resampled studies")
    let all = Parallel.map(replicates, jobs: options.jobs) {
      [model, refit] replicate -> PopulationValues? in
      var stream = RandomStream(options.seed, UInt64(replicate))
      let study = units.indices.flatMap { draw in
        units[Swift.min(units.count - 1, Int(stream.uniform() * Double(units.count)))].map {
          $0.drawn(draw, model.studyColumn)
        }
      }
      let fit = try? PopulationFit(
        study, instrument: data.instrument, model: model, options: refit)
      return fit.flatMap { $0.isConverged ? $0.values : nil }
    }
    let converged = all.compactMap(\.self)
    return intervals(.bootstrap, converged, failed: all.count - converged.count)
  }

  /// Percentile intervals of fitted values; nil with fewer than 20 of them.
  private func intervals(
    _ kind: Intervals, _ fitted: [PopulationValues], failed: Int = 0
  ) -> OtherIntervals {
    func interval(_ number: (PopulationValues) -> Double) -> Interval? {
      guard let sample = Sample(fitted.map(number)), fitted.count >= 20,
        let low = sample.quantile(0.025), let high = sample.quantile(0.975)
      else { return nil }
      return Interval(low: low, high: high)
    }
    func bias(_ number: (PopulationValues) -> Double) -> Double? {
      guard fitted.count >= 20 else { return nil }
      return fitted.map(number).reduce(0, +) / Double(fitted.count) - number(values)
    }
    let isFree = model.parameters.indices.map { uncertainty?.typical[$0] != nil || !isHeld($0) }
    return OtherIntervals(
      kind: kind,
      typical: model.parameters.indices.map { index in
        isFree[index] ? interval { .exp($0.typical[index]) } : nil
      },
      coefficients: model.covariates.indices.map { index in interval { $0.coefficients[index] } },
      variances: Dictionary(
        uniqueKeysWithValues: PopulationLevel.allCases.map { level in
          (level, model[level].indices.map { row in interval { $0[level][row, row] } })
        }),
      typicalBias: model.parameters.indices.map { index in
        isFree[index] ? bias { .exp($0.typical[index]) } : nil
      },
      varianceBias: Dictionary(
        uniqueKeysWithValues: PopulationLevel.allCases.map { level in
          (level, model[level].indices.map { row in bias { $0[level][row, row] } })
        }),
      replicates: fitted.count + failed, failed: failed)
  }

  private func isHeld(_ index: Int) -> Bool {
    model.isPredicted(model.parameters[index])
      || model.fixedTypical[model.parameters[index]] != nil
  }

  // MARK: Profile likelihood

  /// Profile-likelihood intervals (Venzon & Moolgavkar 1988). They end where the profile OFV has risen by the squared
  /// quantile of Student's t.
  func profiled(by search: PopulationSearch) -> OtherIntervals {
    let coordinates = search.objective.data.coordinates
    let vector = coordinates.vector(values)
    func interval(
      _ index: Int, error: Double?, rise: Double?, least: Double = 0,
      _ number: (PopulationValues) -> Double
    ) -> Interval? {
      guard let error, let rise, error > 0, error.isFinite, !Task.isCancelled else { return nil }
      let ends = [-1.0, 1].map { direction in
        search.profileEnd(at: index, toward: direction, error: error, rise: rise).map {
          number(coordinates.values($0, from: values))
        }
      }
      return Interval(low: ends[0] ?? least, high: ends[1] ?? .infinity)
    }
    var typical = [Interval?](repeating: nil, count: model.parameters.count)
    for (number, index) in coordinates.typical.enumerated() {
      typical[index] = interval(
        number,
        error: uncertainty?.typical[index].map { $0 / coordinates.slope(values, index) },
        rise: units(of: model.parameters[index]).rise
      ) { .exp($0.typical[index]) }
    }
    let coefficients = model.covariates.indices.map { index in
      interval(
        coordinates.typical.count + index, error: uncertainty?.coefficients[index],
        rise: units(of: model.covariates[index].parameter).rise, least: -.infinity
      ) { $0.coefficients[index] }
    }
    var variances: [PopulationLevel: [Interval?]] = [:]
    for index in vector.indices where !coordinates.isSmallest(index, vector) {
      // The coordinates of a full Cholesky factor are not variances.
      guard let (level, row) = coordinates.spread(at: index), !coordinates.factors[level].isFull,
        let (variance, error) = variance(of: model[level][row], between: level), let error
      else { continue }
      let quantile = units(of: model[level][row], level).quantile
      variances[level, default: model[level].map { _ in nil }][row] = interval(
        index, error: 0.5 * error / variance, rise: quantile.map { $0 * $0 }
      ) { $0[level][row, row] }
    }
    return OtherIntervals(
      kind: .profile, typical: typical, coefficients: coefficients, variances: variances,
      replicates: 0, failed: 0)
  }
}

extension PopulationSearch {
  /// The vector at an end of a profile-likelihood interval.
  ///
  /// - Parameters:
  ///   - index: The profiled coordinate.
  ///   - direction: -1 for the lower end, 1 for the upper end.
  ///   - error: The standard error of the coordinate.
  ///   - rise: The rise of the profile OFV at the end.
  /// - Returns: Nil if the profile never rises so far.
  func profileEnd(
    at index: Int, toward direction: Double, error: Double, rise: Double
  ) -> [Double]? {
    let center = objective.data.coordinates.vector(values)
    var from = (vector: center, modes: modes)
    let lowest = objective.value(at: center, near: modes)
    let target = rise.squareRoot()
    // The square root of the rise is nearly linear in the coordinate, so regula falsi works on it.
    var inner = (distance: 0.0, root: 0.0)
    var outer: (distance: Double, root: Double)?
    var distance = target * error
    for _ in 0..<15 {
      from.vector[index] = center[index] + direction * distance
      // An end a factor of e^10 away counts as none.
      guard distance < 10, let end = minimum(from: from, holding: index), end.isConverged
      else { return nil }
      from = (end.vector, end.slope.modes)
      let root = Swift.max(0, end.slope.value - lowest).squareRoot()
      if abs(root - target) < 0.005 * target { return end.vector }
      if root < target { inner = (distance, root) } else { outer = (distance, root) }
      if let outer {
        let share = (target - inner.root) / (outer.root - inner.root)
        distance =
          inner.distance
          + Swift.min(0.9, Swift.max(0.1, share)) * (outer.distance - inner.distance)
      } else {
        distance *= root > 0 ? Swift.min(3, 1.02 * target / root) : 3
      }
    }
    return from.vector
  }
}

extension PopulationData {
  /// The series of each study.
  fileprivate func seriesByStudy(_ column: String) -> [[Series]] {
    studies.map { name in
      series.flatMap(\.self).filter { $0.subject.covariates[column] == name }
    }
  }
}

extension Series {
  /// A copy under the name of a bootstrap draw, so that a subject drawn twice counts as two.
  fileprivate func drawn(_ draw: Int, _ column: String) -> Series {
    var series = self
    series.subject.id = "\(draw)/\(subject.id)"
    if let name = subject.covariates[column] {
      series.subject.covariates[column] = "\(draw)/\(name)"
    }
    return series
  }
}
