import AlcoholKinetics
public import Estimation
import RealModule
import StudyData

// Intervals with as many degrees of freedom as there are subjects or studies, and variances of which nothing is left.

extension PopulationFit {
  /// The independent units that determine the mean of a parameter: those of the highest level on which it differs, studies
  /// before subjects before occasions; readings if it is the same for everybody. Each covariate on it takes a degree of
  /// freedom.
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

  /// The independent differences that determine a variance. Below the highest level means are those of the level above,
  /// and take nothing off the variance.
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

  /// The 95 % interval of a typical value, by its place, in its unit: by Student's t, unless others were made. Nil without a standard error or
  /// degrees of freedom.
  public func typicalInterval(_ place: Int) -> Interval? {
    if let otherIntervals { return otherIntervals.typical[place] }
    return interval(values.typical[place], uncertainty?.typical[place], model.parameters[place])
      .map { Interval(low: .exp($0.low), high: .exp($0.high)) }
  }

  /// The 95 % interval of the coefficient of a covariate, by its place, by Student's t.
  public func coefficientInterval(_ place: Int) -> Interval? {
    if let otherIntervals { return otherIntervals.coefficients[place] }
    return interval(
      values.coefficients[place], uncertainty?.coefficients[place],
      model.covariates[place].parameter)
  }

  private func interval(
    _ center: Double, _ error: Double?, _ parameter: PopulationParameter
  ) -> Interval? {
    error.flatMap { units(of: parameter).margin($0) }.map {
      Interval(low: center - $0, high: center + $0)
    }
  }

  /// The 95 % interval of the variance of a parameter's logarithm: by chi squared, and by likelihood ratio of a variance
  /// that is the smallest there can be. Nil if it has no upper end.
  public func varianceInterval(
    of parameter: PopulationParameter, between level: PopulationLevel
  ) -> Interval? {
    if let otherIntervals, let place = model[level].firstIndex(of: parameter),
      let interval = otherIntervals.variances[level]?[place]
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

  /// A variance with its standard error; nil if the parameter does not differ there.
  package func variance(
    of parameter: PopulationParameter, between level: PopulationLevel
  ) -> (variance: Double, error: Double?)? {
    let errors =
      switch level {
      case .study: uncertainty?.studies
      case .person: uncertainty?.between
      case .occasion: uncertainty?.within
      }
    return model[level].firstIndex(of: parameter).map { place in
      (values[level][place, place], (errors?[place]).flatMap { $0.isFinite ? $0 : nil })
    }
  }

  /// The variances of a search's end that are the smallest there can be, with the upper ends of their intervals.
  ///
  /// If a variance is zero, its likelihood ratio is 0 in half of all studies, and else chi squared with 1 degree of
  /// freedom (Self & Liang 1987); so an end at the 97.5 % quantile of the normal distribution, squared, would hold it in
  /// 97.5 % of many large studies. For few subjects Student's quantile takes its place.
  func boundaries(of search: PopulationSearch) -> [Boundary] {
    let coordinates = search.objective.data.coordinates
    let vector = coordinates.vector(search.values)
    return vector.indices.filter { coordinates.isSmallest($0, vector) }.compactMap { place in
      guard let (level, row) = coordinates.spread(at: place) else { return nil }
      let parameter = model[level][row]
      var high: Double?
      // In a full factor the number is the remainder beside the others.
      if search.objective.options.isUncertaintyWanted, !model.isFull || level == .study,
        let quantile = units(of: parameter, level).quantile,
        let spread = search.upperSpread(at: place, rise: quantile * quantile)
      {
        high = spread * spread
      }
      return Boundary(level: level, parameter: parameter, high: high)
    }
  }
}

extension PopulationFit {
  /// How intervals are made.
  public enum Intervals: String, CaseIterable, Codable, Sendable {
    /// Of standard errors.
    case wald
    /// Where the likelihood falls by as much as that of a normal estimate would.
    case profile
    /// From fits to resampled people, or studies where these differ.
    case bootstrap

    /// How many studies are resampled, unless that is said.
    public var usualReplicates: Int { self == .bootstrap ? 200 : 0 }
  }

  /// 95 % intervals that are not made of standard errors; nil where there is none.
  package struct OtherIntervals: Sendable {
    /// How they were made.
    package let kind: Intervals
    /// Of typical values, each in its unit.
    package let typical: [Interval?]
    /// Of the coefficients of covariates.
    package let coefficients: [Interval?]
    /// Of variances, by level; none for those that Wald's are to stand for.
    package let variances: [PopulationLevel: [Interval?]]
    /// Resampled studies.
    package let replicates: Int
    /// Those of them whose fits did not converge, and which are not counted.
    package let failed: Int
  }

  // MARK: Bootstrap

  /// Percentiles of fits to resampled units (Efron & Tibshirani 1993, section 13.3), each begun at the estimates.
  func resampled(_ data: PopulationData, _ options: Options) -> OtherIntervals {
    let units = data.studies.isEmpty ? data.series : data.seriesByStudy(model.studyColumn)
    var own = options.withoutUncertainty
    own.jobs = 1
    own.starts = 1
    own.beginning = values
    own.centers = centers
    own.progress = nil
    let replicates = options.replicates ?? options.intervals.usualReplicates
    options.progress?("fitting \(replicates) resampled studies")
    let (model, frozen) = (model, own)
    let all = Parallel.map(replicates, jobs: options.jobs) {
      replicate -> PopulationValues? in
      var stream = RandomStream(options.seed, UInt64(replicate))
      let study = units.indices.flatMap { draw in
        units[Swift.min(units.count - 1, Int(stream.uniform() * Double(units.count)))].map {
          $0.drawn(draw, model.studyColumn)
        }
      }
      let fit = try? PopulationFit(
        study, instrument: data.instrument, model: model, options: frozen)
      return fit.flatMap { $0.isConverged ? $0.values : nil }
    }
    let found = all.compactMap(\.self)
    return intervals(.bootstrap, found, failed: all.count - found.count)
  }

  /// Percentiles of values that were fitted.
  private func intervals(
    _ kind: Intervals, _ found: [PopulationValues], failed: Int = 0
  ) -> OtherIntervals {
    func interval(_ number: (PopulationValues) -> Double) -> Interval? {
      guard let sample = Sample(found.map(number)), found.count >= 20,
        let low = sample.quantile(0.025), let high = sample.quantile(0.975)
      else { return nil }
      return Interval(low: low, high: high)
    }
    return OtherIntervals(
      kind: kind,
      typical: model.parameters.indices.map { place in
        uncertainty?.typical[place] == nil && isHeld(place)
          ? nil : interval { .exp($0.typical[place]) }
      },
      coefficients: model.covariates.indices.map { place in interval { $0.coefficients[place] } },
      variances: Dictionary(
        uniqueKeysWithValues: PopulationLevel.allCases.map { level in
          (level, model[level].indices.map { row in interval { $0[level][row, row] } })
        }),
      replicates: found.count + failed, failed: failed)
  }

  private func isHeld(_ place: Int) -> Bool {
    model.isPredicted(model.parameters[place])
      || model.fixedTypical[model.parameters[place]] != nil
  }

  // MARK: Profile likelihood

  /// Intervals between the values at which -2 ln L, lowest in everything else, rises as it would to the ends of an
  /// interval by Student's t (Venzon & Moolgavkar 1988).
  func profiled(by search: PopulationSearch) -> OtherIntervals {
    let coordinates = search.objective.data.coordinates
    let vector = coordinates.vector(values)
    func interval(
      _ place: Int, error: Double?, rise: Double?, least: Double = 0,
      _ number: (PopulationValues) -> Double
    ) -> Interval? {
      guard let error, let rise, error > 0, error.isFinite, !Task.isCancelled else { return nil }
      let ends = [-1.0, 1].map { direction in
        search.profileEnd(at: place, toward: direction, error: error, rise: rise).map {
          number(coordinates.values($0, from: values))
        }
      }
      return Interval(low: ends[0] ?? least, high: ends[1] ?? .infinity)
    }
    var typical = [Interval?](repeating: nil, count: model.parameters.count)
    for (number, place) in coordinates.typical.enumerated() {
      typical[place] = interval(
        number,
        error: uncertainty?.typical[place].map { $0 / coordinates.slope(values, place) },
        rise: units(of: model.parameters[place]).rise
      ) { .exp($0.typical[place]) }
    }
    let coefficients = model.covariates.indices.map { place in
      interval(
        coordinates.typical.count + place, error: uncertainty?.coefficients[place],
        rise: units(of: model.covariates[place].parameter).rise, least: -.infinity
      ) { $0.coefficients[place] }
    }
    var variances: [PopulationLevel: [Interval?]] = [:]
    for place in vector.indices where !coordinates.isSmallest(place, vector) {
      // In a full factor the numbers are not those of variances.
      guard let (level, row) = coordinates.spread(at: place), !coordinates.factors[level].isFull,
        let (variance, error) = variance(of: model[level][row], between: level), let error
      else { continue }
      let quantile = units(of: model[level][row], level).quantile
      variances[level, default: model[level].map { _ in nil }][row] = interval(
        place, error: 0.5 * error / variance, rise: quantile.map { $0 * $0 }
      ) { $0[level][row, row] }
    }
    return OtherIntervals(
      kind: .profile, typical: typical, coefficients: coefficients, variances: variances,
      replicates: 0, failed: 0)
  }
}

extension PopulationSearch {
  /// The vector below (-1) or above (1) the estimate of a number, with its standard error, at which the objective, lowest
  /// in everything else, is higher by `rise`; nil if it never is.
  func profileEnd(
    at place: Int, toward direction: Double, error: Double, rise: Double
  ) -> [Double]? {
    let center = objective.data.coordinates.vector(values)
    var from = (vector: center, modes: modes)
    let lowest = objective.value(at: center, near: modes)
    let wanted = rise.squareRoot()
    // The root of the excess is nearly a line.
    var inner = (distance: 0.0, root: 0.0)
    var outer: (distance: Double, root: Double)?
    var distance = wanted * error
    for _ in 0..<15 {
      from.vector[place] = center[place] + direction * distance
      // A factor of e^10 is no end.
      guard distance < 10, let end = minimum(from: from, holding: place), end.isConverged
      else { return nil }
      from = (end.vector, end.here.modes)
      let root = Swift.max(0, end.here.value - lowest).squareRoot()
      if abs(root - wanted) < 0.005 * wanted { return end.vector }
      if root < wanted { inner = (distance, root) } else { outer = (distance, root) }
      if let outer {
        let share = (wanted - inner.root) / (outer.root - inner.root)
        distance =
          inner.distance
          + Swift.min(0.9, Swift.max(0.1, share)) * (outer.distance - inner.distance)
      } else {
        distance *= root > 0 ? Swift.min(3, 1.02 * wanted / root) : 3
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
  /// The same under the name of a draw, so that who is drawn twice is two.
  fileprivate func drawn(_ draw: Int, _ column: String) -> Series {
    var series = self
    series.subject.id = "\(draw)/\(subject.id)"
    if let name = subject.covariates[column] {
      series.subject.covariates[column] = "\(draw)/\(name)"
    }
    return series
  }
}
