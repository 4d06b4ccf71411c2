package import AlcoholKinetics
package import Estimation
import RealModule
package import StudyData

/// Simulates studies of people whom a population has not seen, with the drinks and times of a given study.
///
/// For each study typical values, coefficients, variances and the error of readings are drawn from what the population
/// knows of them: by the covariance of its estimates (``PopulationEstimates``), wider for few people. A file without it has
/// them independent of each other: normal about the estimates, variances so that the estimate is chi-squared about them
/// with as many degrees of freedom as its standard error tells (2 (v / se)^2; without one, people minus one). Then each
/// person and each occasion is drawn, and each reading's error.
///
/// A study depends on the seed and its number alone.
package struct StudySimulation: Sendable {
  /// A series of a simulated study, with what is true of it.
  package struct Person: Sendable {
    /// Who, with simulated readings.
    package let series: Series
    /// The true parameters on that occasion, each in its unit.
    package let truth: [FitParameter: Double]

    /// Puts both together.
    package init(series: Series, truth: [FitParameter: Double]) {
      self.series = series
      self.truth = truth
    }
  }

  private let file: PopulationFile
  /// Whether estimates are drawn with their covariance, and not each for itself.
  package var isCorrelated: Bool { file.estimates != nil }
  private let model: PopulationModel
  private let values: PopulationValues
  private let seed: UInt64
  private let isUncertain: Bool
  private let factors: ConversionFactors

  /// - `file`: The population.
  /// - `isUncertain`: Whether each study has values of its own, as the estimates are uncertain.
  /// - Throws: ``PopulationFailure`` if the file lacks something.
  package init(
    _ file: PopulationFile, seed: UInt64, isUncertain: Bool = true,
    factors: ConversionFactors = ConversionFactors()
  ) throws(PopulationFailure) {
    // What a prior refuses cannot be simulated either.
    let known = try PopulationPrior(file).structure.kinetic
    self.file = file
    model = try file.model()
    values = try file.values(of: model, studies: file.studyLevel)
    self.seed = seed
    self.isUncertain = isUncertain
    self.factors = factors
    guard known.contains(.r) || model.fixed[.r] != nil else {
      throw .badFile(
        "there is no r; give a typical r, hold it in fixed, or name a method in r_factor")
    }
  }

  /// One study, a person at a time in the order of the template.
  ///
  /// - `number`: Of the study, from 1.
  /// - Throws: `SeriesFailure` if somebody's curve cannot be followed.
  package func study(
    _ number: Int, like template: [Series], instrument: Instrument?
  ) throws(SeriesFailure) -> [Person] {
    var stream = RandomStream(seed, UInt64(number))
    let values = isUncertain ? try drawn(&stream) : values
    let prior: PopulationPrior
    do throws(PopulationFailure) {
      prior = try PopulationPrior(
        title: nil, model, values, centers: file.effects.map { $0.center ?? 0 },
        typicalErrors: [:], counts: (.max, .max), errors: file.readingErrors(values.residual))
    } catch {
      throw .badOptions(error.description)
    }
    let structure = prior.structure
    func shifts(_ level: PopulationLevel, _ parameters: [PopulationParameter]) -> [Double] {
      var shifts = [Double](repeating: 0, count: structure.count)
      guard let factor = values[level].cholesky else { return shifts }
      let deviates = parameters.map { _ in stream.normal() }
      for (parameter, shift) in zip(parameters, factor * deviates) {
        if let place = structure.parameters.firstIndex(of: parameter) { shifts[place] = shift }
      }
      return shifts
    }
    let ofStudy = shifts(.study, file.studyLevel)
    var own: [String: (shifts: [Double], size: Double)] = [:]
    var people: [Person] = []
    for var series in template {
      let id = series.subject.id
      if own[id] == nil {
        let shifts = shifts(.person, model.random)
        let freedom = prior.errors.degreesOfFreedom
        let size = freedom.map { (Double($0) / stream.chiSquared($0)).squareRoot() } ?? 1
        own[id] = (shifts, size)
      }
      let person = own[id] ?? ([], 1)
      let ofOccasion = shifts(.occasion, model.occasional)
      let mean = try prior.mean(for: series.subject)
      let logarithms = mean.indices.map {
        mean[$0] + ofStudy[$0] + person.shifts[$0] + ofOccasion[$0]
      }
      var truth = model.fixed
      for (parameter, value) in zip(structure.kinetic, structure.kinetic(logarithms)) {
        truth[parameter] = .exp(value)
      }
      series.readings = readings(
        of: series, instrument, try model.elimination.with(truth), try series.regimen(),
        prior.errors, size: person.size, &stream)
      series.uuids = GivenUUIDs()
      people.append(Person(series: series, truth: truth))
    }
    return people
  }

  /// The readings of a series with what an instrument would have shown.
  private func readings(
    of series: Series, _ instrument: Instrument?, _ curve: ModelParameters, _ regimen: Regimen,
    _ errors: ReadingErrors, size: Double, _ stream: inout RandomStream
  ) -> [Reading] {
    let times = errors.correlationTimes.map(\.value)
    let time =
      times.isEmpty ? 0 : times[min(times.count - 1, Int(stream.uniform() * Double(times.count)))]
    let share = times.isEmpty ? 0 : ReadingErrors.correlatedShare
    var (run, last) = (stream.normal(), Double?.none)
    let predicted = curve.predictions(of: regimen, at: series.readings.map(\.time.value))
    return zip(series.readings, predicted).map { reading, prediction in
      let decay = last.map { Double.exp(-(reading.time.value - $0) / max(time, 1e-9)) } ?? 1
      run = decay * run + (1 - decay * decay).squareRoot() * stream.normal()
      last = reading.time.value
      let deviation =
        size
        * errors.deviation(
          at: prediction,
          unabsorbed: errors.absorption > 0 ? regimen.unabsorbed(at: reading.time, curve) : 0)
      let error = share.squareRoot() * run + (1 - share).squareRoot() * stream.normal()
      let unit = reading.unit.gramsPerKilogram(using: factors)
      var simulated = reading
      let shown = (prediction + deviation * error) / unit
      let step = instrument?.resolution.flatMap { $0 > 0 ? $0 : nil } ?? 1e-6
      // No more digits than a display has.
      simulated.value = (1e9 * (shown / step).rounded() * step).rounded() / 1e9
      // No display shows less than nothing, or what it cannot detect.
      let least = reading.limitOfDetection ?? instrument?.limitOfDetection ?? 0
      if simulated.value < least || simulated.value < 0 { simulated.value = 0 }
      return simulated
    }
  }

  /// Values as uncertain as the population's are, and as correlated as its file says.
  func drawn(_ stream: inout RandomStream) throws(SeriesFailure) -> PopulationValues {
    if let estimates = file.estimates {
      var model = model
      model.studyLevel = file.studyLevel
      let coordinates: Coordinates
      do throws(PopulationFailure) { coordinates = try Coordinates(model) } catch {
        throw .badOptions(error.description)
      }
      let widening = PopulationPrior.ofFew(file.people ?? .max).squareRoot()
      let deviations = estimates.draw(&stream, widening: widening)
      let vector = zip(coordinates.vector(values), coordinates.names(model)).map { number, name in
        number + (deviations[name] ?? 0)
      }
      return coordinates.values(vector, from: values)
    }
    return independent(&stream)
  }

  private func independent(_ stream: inout RandomStream) -> PopulationValues {
    var drawn = values
    let people = file.people.map(Double.init)
    for (place, parameter) in model.parameters.enumerated() where !model.isPredicted(parameter) {
      let error =
        file.typicalErrors[parameter].map {
          $0 * PopulationPrior.ofFew(file.people ?? .max).squareRoot()
        }
        ?? people.flatMap { people in
          model.random.firstIndex(of: parameter).map {
            (values[.person][$0, $0] / people).squareRoot()
          }
        } ?? 0
      drawn.typical[place] += error * stream.normal()
    }
    for (place, effect) in file.effects.enumerated() {
      drawn.coefficients[place] += (effect.se ?? 0) * stream.normal()
    }
    for level in PopulationLevel.ofVectors {
      let parameters = level == .study ? file.studyLevel : model[level]
      let scales = parameters.enumerated().map { row, parameter -> Double in
        let freedom = file.freedom(of: parameter, level, values[level][row, row])
        guard let freedom = freedom ?? people.map({ $0 - 1 }), freedom >= 1 else { return 1 }
        let count = Int(min(1000, freedom).rounded())
        return (Double(count) / stream.chiSquared(count)).squareRoot()
      }
      drawn[level] = Dense(diagonal: scales) * (values[level] * Dense(diagonal: scales))
    }
    if let error = file.residualError(.sd) { drawn.sd *= .exp(error * stream.normal()) }
    if let error = file.residualError(.cv) { drawn.cv *= .exp(error * stream.normal()) }
    return drawn
  }
}
