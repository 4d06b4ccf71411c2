import AlcoholKinetics
public import Estimation
import RealModule

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
