package import AlcoholKinetics
package import Estimation
import RealModule
package import StudyData

/// Readings that would determine a parameter that a series leaves undetermined.
///
/// The fewest that determine it to ``goal`` are chosen beside the existing readings, at multiples
/// of five minutes. Parameters that the series does not determine are taken to be typical.
package struct MissingReadings: Hashable, Sendable {
  /// The parameter to determine.
  package let parameter: FitParameter
  /// When, in min since the first drink.
  package let minutes: [Double]
  /// Half the expected 95 % interval, relative to the value.
  package let within: Double

  /// The target precision: half the interval, relative to the value.
  package static let goal = 0.2
  /// The most readings to suggest; no times are suggested if so many do not reach ``enough``.
  private static let most = 4
  private static let enough = 0.5
  /// Minutes after a drink during which mouth alcohol spoils breath readings, as in most
  /// instructions.
  private static let mouthAlcoholWindow = 15.0
  /// The standard deviation of readings where no fit estimates it, in g/kg.
  private static let usualError = 0.02

  /// Finds readings for a parameter that a fit left undetermined; nil if it is determined, or if no
  /// few readings would help.
  package init?(for parameter: FitParameter, in fit: SeriesFit, of series: Series) {
    guard parameter.isLogarithmic, fit.estimates[parameter]?.isDetermined == false else {
      return nil
    }
    var values = fit.values
    for (other, estimate) in fit.estimates where !estimate.isDetermined {
      values[known: other] = other.traits.typicalValue
    }
    let used = fit.readings.filter(\.use.isUsed).map(\.time)
    let sd = fit.noise?.sd ?? 0
    let error = ObservationModel(
      sd: fit.noise?.cv == nil ? max(sd, ErrorModel.smallestSD) : sd, cv: fit.noise?.cv ?? 0)
    self.init(
      for: parameter, estimating: Set(fit.estimates.keys),
      ModelParameters(fit.model, known: values), series, used,
      fit.noise == nil ? ObservationModel(sd: Self.usualError, cv: 0) : error)
  }

  /// Finds readings for a parameter of a typical person, measured at the times of a series; nil if
  /// these determine it.
  package init?(for parameter: FitParameter, timesOf series: Series) {
    let typical = TypicalKinetics(of: series.subject.food)
    var values = typical.values(of: .widmark, for: series.subject.sex, given: [.lag: 0])
    values[.r] = FitParameter.r.traits.typicalValue
    guard let parameters = try? ModelParameters(.widmark, values) else { return nil }
    let times = series.readings.filter { !$0.isExcluded }.map(\.time)
    let error = ObservationModel(sd: Self.usualError, cv: 0)
    let estimate: Set<FitParameter> = [.ka, .beta, .r]
    guard times.count > estimate.count,
      let typicalCase = try? DesignCase(series, parameters),
      let halfWidth = Self.within(
        parameter, estimate, typicalCase, times.map(typicalCase.minutes), error),
      halfWidth > Self.enough
    else { return nil }
    self.init(for: parameter, estimating: estimate, parameters, series, times, error)
  }

  private init?(
    for parameter: FitParameter, estimating estimate: Set<FitParameter>,
    _ parameters: ModelParameters, _ series: Series, _ times: [Hours], _ error: ObservationModel
  ) {
    guard let designCase = try? DesignCase(series, parameters) else { return nil }
    let isBreath = series.readings.first?.unit.isBreath ?? false
    let options = SamplingOptions(
      estimate: estimate, aim: .parameters([parameter]), error: error, isErrorKnown: true,
      mouthAlcoholWindow: isBreath ? Hours(minutes: Self.mouthAlcoholWindow) : 0, apart: 5,
      step: 5, kept: times.map(designCase.minutes), starts: 2, simulations: 0)
    var best: (minutes: [Double], within: Double)?
    for count in 1...Self.most {
      guard let plan = try? SamplingPlan(of: count, for: [designCase], options: options),
        let within = plan.best.expected.first(where: { $0.subject == .parameter(parameter) })?
          .relativeHalfWidth
      else { continue }
      best = (plan.best.minutes.filter { !options.kept.contains($0) }, within)
      if within <= Self.goal { break }
    }
    guard let best, best.within <= Self.enough else { return nil }
    self.parameter = parameter
    minutes = best.minutes
    within = best.within
  }

  /// Half the expected interval of a parameter, relative to its value; infinite if undetermined.
  private static func within(
    _ parameter: FitParameter, _ estimate: Set<FitParameter>, _ designCase: DesignCase,
    _ minutes: [Double], _ error: ObservationModel
  ) -> Double? {
    let options = SamplingOptions(
      estimate: estimate, error: error, isErrorKnown: true, candidates: [], simulations: 0)
    guard
      let candidates = try? Candidates(
        [designCase], options, beside: minutes, readings: minutes.count),
      let design = try? candidates.design(candidates.indices(of: minutes), jobs: 1)
    else { return nil }
    let precision = design.expected.first { $0.subject == .parameter(parameter) }
    return precision.map { $0.relativeHalfWidth ?? .infinity }
  }
}

extension DesignCase {
  /// A time on the clock of the drinks, in min since the first drink.
  fileprivate func minutes(_ time: Hours) -> Double { (time - series.start).minutes }
}
