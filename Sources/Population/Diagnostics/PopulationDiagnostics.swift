package import AlcoholKinetics
package import Estimation
import RealModule
package import StudyData

/// What the readings say of a population model that was fitted to them: residuals, simulations of the same
/// readings, and random effects beside covariates.
package struct PopulationDiagnostics: Codable, Hashable, Sendable {
  /// How the readings are simulated.
  package struct Options: Hashable, Sendable {
    /// How many replicates of the study; 10 times as many as a subject has readings at least.
    package var simulations: Int
    /// The seed of the random numbers.
    package var seed: UInt64
    /// How many bins of time a predictive check has; nil for about ten readings in each, and ten bins at most.
    package var bins: Int?
    /// How many threads.
    package var jobs: Int

    /// Everything has a default.
    package init(simulations: Int = 1000, seed: UInt64 = 1, bins: Int? = nil, jobs: Int = 1) {
      self.simulations = simulations
      self.seed = seed
      self.bins = bins
      self.jobs = jobs
    }
  }

  /// A reading beside what the model has for it; concentrations are in g per kg of blood.
  package struct Reading: Codable, Hashable, Sendable {
    /// Whose.
    package let subject: String
    /// On which occasion, where there are several.
    package let occasion: String?
    /// When, on the clock of the series.
    package let time: Hours
    /// When, after the first drink.
    package let sinceFirstDrink: Hours
    /// What the instrument showed, in g per kg of blood.
    package let observed: Double
    /// The limit of detection, where it is known.
    package let limit: Double?
    /// Whether it is below that limit. Readings that the fit passed over are included.
    package let isBelowDetection: Bool
    /// What a typical subject of the same covariates would have.
    package let population: Double
    /// What the subject's own curve has.
    package let individual: Double
    /// The residual about the subject's own curve, over its standard deviation; nil below detection.
    package let iwres: Double?
    /// The conditional weighted residual (Hooker, Staatz & Karlsson 2007); nil below detection.
    package let cwres: Double?
    /// The normalised prediction distribution error (Brendel et al. 2006); nil where it has none.
    package let npde: Double?
    /// The reading as a prediction-corrected check has it; nil if it has none, or is below detection.
    package internal(set) var predictionCorrected: Double?
    /// The reading as a variability-corrected check has it; nil likewise.
    package internal(set) var variabilityCorrected: Double?
  }

  /// Every reading, in the order of the study.
  package let readings: [Reading]
  /// How percentiles of simulated readings compare with those of the study.
  package let predictiveCheck: PredictiveCheck
  /// The random effects beside covariates.
  package let covariates: [EffectAgainstCovariate]
  /// How many replicates were simulated.
  package let simulations: Int
  /// The most readings that a subject has.
  package let mostReadings: Int

  /// Whether conditional weighted residuals are standard normal; nil without any.
  package var cwres: StandardNormalTest? { StandardNormalTest(readings.compactMap(\.cwres)) }
  /// Whether prediction distribution errors are standard normal; nil without any.
  package var npde: StandardNormalTest? { StandardNormalTest(readings.compactMap(\.npde)) }

  /// Judges a fit by the study that it was made of.
  ///
  /// - Throws: ``PopulationFailure``.
  package init(
    of fit: PopulationFit, _ study: [Series], instrument: Instrument? = nil,
    options: Options = Options()
  ) throws(PopulationFailure) {
    guard options.simulations >= Self.fewest else {
      throw .badOptions(
        "\(options.simulations) simulations are too few for percentiles; take \(Self.fewest) or more"
      )
    }
    let data = try PopulationData(
      study, instrument: instrument, fit.model, centers: fit.centers, jobs: options.jobs,
      isWhole: true)
    let names = data.subjects.map(\.id)
    guard names == fit.individuals.map(\.subject),
      zip(data.all, fit.individuals).allSatisfy({ $0.count == $1.effects.count })
    else { throw .badOptions("the fit is of other people than the study; fit the study again") }
    guard
      let simulation = PopulationSimulation(data, fit.model, fit.values, seed: options.seed)
    else {
      throw .badOptions(
        "Omega is not positive definite; give variances above zero and correlations below 1")
    }
    let answers = data.map { subject in
      SubjectResiduals(
        subject, fit.individuals[subject.index].effects, fit.method, simulation,
        simulations: options.simulations)
    }
    var readings = zip(data.all, answers).flatMap { subject, residuals in
      Self.readings(of: subject, residuals, data, fit.model)
    }
    guard !Task.isCancelled else { throw .cancelled }
    predictiveCheck = PredictiveCheck(
      &readings, simulation, deviations: answers.flatMap(\.simulatedDeviations), options)
    guard !Task.isCancelled else { throw .cancelled }
    self.readings = readings
    covariates = EffectAgainstCovariate.all(of: fit, data.subjects)
    simulations = options.simulations
    mostReadings = data.all.map(\.readingCount).max() ?? 0
  }

  /// Below this, 95 % bands mean little.
  package static let fewest = 100

  private static func readings(
    of subject: SubjectLikelihood, _ residuals: SubjectResiduals, _ data: PopulationData,
    _ model: PopulationModel
  ) -> [Reading] {
    var row = -1
    return zip(subject.occasions, data.series[subject.index]).flatMap { occasion, series in
      (0..<occasion.count).map { index in
        row += 1
        let reading = series.readings[occasion.places[index]]
        return Reading(
          subject: series.subject.id, occasion: series.occasion, time: reading.time,
          sinceFirstDrink: reading.time - series.start,
          observed: reading.bloodConcentration(using: model.factors).value,
          limit: occasion.limits[index], isBelowDetection: occasion.areCensored[index],
          population: residuals.population[row], individual: residuals.individual[row],
          iwres: residuals.iwres[row], cwres: residuals.cwres[row], npde: residuals.npde[row])
      }
    }
  }
}

/// The residuals of a subject, a number for each reading of all occasions.
private struct SubjectResiduals: Sendable {
  var population: [Double] = []
  var individual: [Double] = []
  var iwres: [Double?] = []
  var cwres: [Double?] = []
  var npde: [Double?] = []
  /// Standard deviations of simulated readings.
  var simulatedDeviations: [Double] = []

  init(
    _ subject: SubjectLikelihood, _ effects: [Double], _ method: PopulationMethod,
    _ simulation: PopulationSimulation, simulations: Int
  ) {
    addConditional(subject, effects, method, simulation.prepared)
    addDistributed(subject, simulation, simulations)
  }

  // MARK: CWRES

  /// Predictions and residuals.
  ///
  /// With f linear about the mode, readings have the mean f - G b and the covariance G Lambda G^T + Sigma. Residuals
  /// are taken by its symmetric inverse root. FO is linear about b = 0, where the same are NONMEM's WRES; Sigma
  /// is that of the typical curve by FO and FOCE, and of the subject's own with interaction.
  private mutating func addConditional(
    _ subject: SubjectLikelihood, _ effects: [Double], _ method: PopulationMethod,
    _ prepared: PreparedPopulation
  ) {
    let typical = [Double](repeating: 0, count: subject.count)
    let center = method == .fo ? typical : effects
    let isInteracting = method != .fo && method != .foce
    var (errors, variances, places): ([Double], [Double], [Int]) = ([], [], [])
    var rows: [[Double]] = []
    for (occasion, readings) in subject.occasions.enumerated() {
      let atTypical = readings.predictions(
        at: subject.logarithms(typical, on: occasion, prepared)
      ).values
      let own = readings.predictions(at: subject.logarithms(effects, on: occasion, prepared)).values
      let about = readings.predictions(at: subject.logarithms(center, on: occasion, prepared))
      for index in 0..<readings.count {
        if !readings.areCensored[index] {
          let row = subject.byEffects(about.derivatives, of: index, on: occasion)
          rows.append(row)
          places.append(population.count)
          errors.append(readings.levels[index] - about.values[index] + dot(row, center))
          variances.append(
            prepared.residual.variance(at: isInteracting ? own[index] : atTypical[index]))
        }
        let deviation = prepared.residual.variance(at: own[index]).squareRoot()
        iwres.append(
          readings.areCensored[index] ? nil : (readings.levels[index] - own[index]) / deviation)
        population.append(atTypical[index])
        individual.append(own[index])
      }
    }
    cwres = population.map { _ in nil }
    let design = Dense(rows.count, subject.count, rows.flatMap(\.self))
    guard !rows.isEmpty,
      let spread = subject.precision(prepared).inverted?.inverse,
      let root = (design * (spread * design.transposed) + Dense(diagonal: variances)).inverseRoot
    else { return }
    for (place, residual) in zip(places, root * errors) where residual.isFinite {
      cwres[place] = residual
    }
  }

  // MARK: NPDE

  /// Where each reading stands among simulated ones, both decorrelated by the mean and the covariance of the
  /// simulated ones (Brendel et al. 2006; Comets, Brendel & Mentré 2008).
  private mutating func addDistributed(
    _ subject: SubjectLikelihood, _ simulation: PopulationSimulation, _ simulations: Int
  ) {
    let replicates = simulation.table(subject, simulations)
    let means = replicates.map { $0.reduce(0, +) / Double(simulations) }
    let centred = zip(replicates, means).map { row, mean in row.map { $0 - mean } }
    npde = means.map { _ in nil }
    simulatedDeviations = centred.map { row in
      (dot(row, row) / Double(simulations - 1)).squareRoot()
    }
    guard simulations > 2 * replicates.count,
      let observed = Self.completed(subject, simulation),
      let whitening = Self.decorrelating(centred, simulatedDeviations)
    else { return }
    let own = whitening * zip(observed, means).map { $0 - $1 }
    var white = [Double](repeating: 0, count: simulations)
    for row in own.indices where own[row].isFinite {
      for replicate in white.indices { white[replicate] = 0 }
      for column in 0...row {
        let factor = whitening[row, column]
        for replicate in white.indices {
          white[replicate] += factor * centred[column][replicate]
        }
      }
      // What all or none of the replicates exceed has half of one beyond it.
      let rank = Double(white.count { $0 < own[row] })
      let share = Swift.min(Swift.max(rank, 0.5), Double(simulations) - 0.5) / Double(simulations)
      npde[row] = NormalScores.quantile(share)
    }
  }

  /// The readings, each of those below detection drawn from where it may be: uniformly between 0 and the
  /// probability of being below (Nguyen, Comets & Mentré 2012).
  ///
  /// That probability is that of the subject, with random effects that are drawn given all readings: a draw that
  /// knows nothing of these would be no reading of the same subject, and would go through as an error of the model.
  private static func completed(
    _ subject: SubjectLikelihood, _ simulation: PopulationSimulation
  ) -> [Double]? {
    guard subject.quantifiedCount < subject.readingCount else {
      return subject.occasions.flatMap(\.levels)
    }
    let prepared = simulation.prepared
    guard let mode = subject.mode(prepared),
      let factor = mode.information.inverted?.inverse.cholesky
    else { return nil }
    var stream = simulation.stream(subject, -1)
    let direction = factor * mode.effects.map { _ in stream.normal() }
    let effects = zip(mode.effects, direction).map { $0 + $1 }
    return subject.occasions.enumerated().flatMap { occasion, readings -> [Double] in
      let predicted = readings.predictions(
        at: subject.logarithms(effects, on: occasion, prepared)
      ).values
      return readings.levels.indices.map { index in
        let level = readings.levels[index]
        guard readings.areCensored[index] else { return level }
        let deviation = prepared.residual.deviation(at: predicted[index])
        let below = Double.exp(-0.5 * BelowLimit.cost((level - predicted[index]) / deviation))
        let drawn =
          predicted[index] + deviation * NormalScores.quantile(below * stream.uniform())
        // So far above its limit that no number tells where.
        return drawn.isFinite ? Swift.min(level, drawn) : level
      }
    }
  }

  /// The inverse of the lower factor of the covariance; nil if readings determine each other.
  private static func decorrelating(_ centred: [[Double]], _ deviations: [Double]) -> Dense? {
    let divisor = Double((centred.first?.count ?? 2) - 1)
    let entries = centred.indices.flatMap { row in
      centred[...row].map { dot(centred[row], $0) / divisor }
    }
    let covariance = Dense(centred.count, lowerTriangle: { entries[$0] })
    guard let factor = covariance.cholesky,
      zip(factor.diagonal, deviations).allSatisfy({ $0 > 1e-6 * $1 })
    else { return nil }
    return factor.inverseOfLower
  }
}

/// Everybody's random effect beside a covariate: the variation still to explain.
package struct EffectAgainstCovariate: Codable, Hashable, Sendable {
  /// A subject.
  package struct Point: Codable, Hashable, Sendable {
    /// Who.
    package let subject: String
    /// The covariate.
    package let value: Double
    /// The random effect.
    package let effect: Double
  }

  /// The parameter that the effect is of.
  package let parameter: PopulationParameter
  /// The covariate, as the column is called; `sex` is 1 for women and 0 for men.
  package let covariate: String
  /// Everybody who has it as a number.
  package let points: [Point]
  /// Pearson's correlation; nil for fewer than 4 subjects, where the covariate is the same for everybody, or
  /// where the effects hardly differ beside their model: a shrinkage above 99 % leaves rounding.
  package let correlation: Double?
  /// The 95 % interval of the correlation by Fisher's z; nil as above.
  package let interval: Interval?

  /// - Parameter spread: The standard deviation that the model has for the effects.
  init(
    _ parameter: PopulationParameter, _ covariate: String, _ points: [Point], spread: Double
  ) {
    self.parameter = parameter
    self.covariate = covariate
    self.points = points
    correlation = Self.correlation(points, spread)
    interval = correlation.map { correlation in
      let reach = 1.959964 / Double(points.count - 3).squareRoot()
      let center = Double.atanh(correlation)
      return Interval(low: .tanh(center - reach), high: .tanh(center + reach))
    }
  }

  private static func correlation(_ points: [Point], _ spread: Double) -> Double? {
    guard points.count > 3, let x = Sample(points.map(\.value)),
      let y = Sample(points.map(\.effect)),
      let width = x.standardDeviation, let height = y.standardDeviation,
      // Less is rounding.
      width > 1e-12 * x.meanMagnitude, height > 0.01 * spread, height > 1e-12 * y.meanMagnitude
    else { return nil }
    let (mean, other) = (x.mean, y.mean)
    let sum = points.reduce(0) {
      $0 + ($1.value - mean) / width * (($1.effect - other) / height)
    }
    return Swift.max(-1, Swift.min(1, sum / Double(points.count - 1)))
  }

  /// All parameters in which subjects differ beside all covariates that somebody has as a number.
  static func all(of fit: PopulationFit, _ subjects: [Subject]) -> [EffectAgainstCovariate] {
    let measures = ["sex", "age_y", "height_cm", "weight_kg"]
    let further = Set(subjects.flatMap(\.covariates.keys)).subtracting(measures).sorted()
    return (measures + further).flatMap { name -> [EffectAgainstCovariate] in
      let values = subjects.map { PopulationModel.Covariate.number(name, of: $0) }
      guard values.contains(where: { $0 != nil }) else { return [] }
      return fit.model.random.enumerated().map { place, parameter in
        let points = zip(values, fit.individuals).compactMap { value, individual in
          value.map {
            Point(subject: individual.subject, value: $0, effect: individual.effects[place])
          }
        }
        let variance = fit.values.between[place * (fit.model.random.count + 1)]
        return EffectAgainstCovariate(parameter, name, points, spread: variance.squareRoot())
      }
    }
  }
}
