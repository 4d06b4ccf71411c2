package import AlcoholKinetics
package import Estimation
import GSL
import RealModule
package import StudyData

/// Simulates a cohort, a person at a time.
///
/// Half are men. Ages are uniform from 20 to 65 years, heights normal (men 1.78 +- 0.07 m, women 1.65
/// +- 0.065 m), body mass indices normal (25 +- 3.5 kg/m2, cut at 18 and 38). k_a is log-normal about
/// 4 /h (SD of the logarithm 0.6), beta normal (0.15 +- 0.025 g/kg/h, cut at 0.08 and 0.3), the parameters
/// of other models log-normal about typical values (SD of the logarithm 0.2), r log-normal about
/// Watson's. Everybody takes 1 to 4 drinks of 0.15 to 0.4 g/kg, 20 to 60 min apart.
/// Errors are normal, and no reading is below 0.
package struct SimulatedCohort {
  package static let decimals = 4

  private let design: CohortDesign
  private let random: RandomGenerator
  private let engine: CurveEngine
  private var index = 0

  /// - Throws: `SeriesFailure.badOptions(_:)` if its numbers are impossible.
  package init(_ design: CohortDesign) throws(SeriesFailure) {
    guard design.subjects >= 0, design.readings >= 0, design.noise >= 0, design.spreadOfR >= 0,
      design.noise.value.isFinite, design.spreadOfR.isFinite
    else { throw .badOptions("a cohort has finite numbers, none of them negative") }
    self.design = design
    do {
      random = try RandomGenerator(seed: design.seed)
    } catch {
      throw .solver(error.description)
    }
    do {
      let every = design.every
      engine = CurveEngine(
        try TimeGrid(start: every, everyMinutes: every.minutes, count: design.readings))
    } catch {
      throw .problem(error)
    }
  }

  /// The next person; nil after the last.
  package mutating func next() throws(SeriesFailure) -> SimulatedPerson? {
    guard index < design.subjects else { return nil }
    index += 1
    let subject = subject(index)
    var values: [FitParameter: Double] = [.ka: .exp(.log(4) + 0.6 * random.nextNormal())]
    for traits in design.model.kinetics.ownParameters {
      values[traits.parameter] =
        traits.parameter == .beta
        ? normal(0.15, 0.025, in: 0.08...0.3)
        : traits.typicalValue * .exp(0.2 * random.nextNormal())
    }
    let spread = Double.exp(design.spreadOfR * random.nextNormal())
    var series = Series(subject: subject, drinks: drinks(of: subject), readings: [])
    let watson = try Watson().parameters(for: subject, design.model, values)
    values[.r] = watson.r.value * spread
    let parameters: ModelParameters
    do { parameters = try ModelParameters(design.model, values) } catch { throw .problem(error) }
    series.readings = readings(of: try series.regimen(), parameters)
    return SimulatedPerson(series: series, parameters: parameters)
  }

  // MARK: People

  private func subject(_ index: Int) -> Subject {
    let sex: Sex = random.nextUniform() < 0.5 ? .male : .female
    let age = (20 + 45 * random.nextUniform()).rounded()
    let height =
      sex == .male ? normal(1.78, 0.07, in: 1.55...2.05) : normal(1.65, 0.065, in: 1.45...1.9)
    let massIndex = normal(25, 3.5, in: 18...38)
    return Subject(
      id: "s" + String(repeating: "0", count: max(0, 6 - "\(index)".count)) + "\(index)",
      sex: sex, age: Years(age),
      height: Metres(centimetres: (height * 100).rounded()),
      weight: Kilograms((massIndex * height * height * 10).rounded() / 10))
  }

  private func drinks(of subject: Subject) -> [Drink] {
    let count = 1 + Int(4 * random.nextUniform())
    var minutes = 0.0
    return (0..<count).map { index in
      if index > 0 { minutes += (20 + 40 * random.nextUniform()).rounded() }
      let dose = (0.15 + 0.25 * random.nextUniform()) * (subject.weight?.value ?? 0)
      return Drink(
        time: Hours(minutes: minutes), ethanol: .mass(Grams((dose * 10).rounded() / 10)))
    }
  }

  private func readings(of regimen: Regimen, _ parameters: ModelParameters) -> [Reading] {
    let limit = design.limitOfDetection?.value
    let scale = Double.pow(10, Self.decimals)
    return parameters.concentrations(of: regimen, on: engine).enumerated().map { index, truth in
      let value = truth + design.noise.value * random.nextNormal()
      // Instruments do not display negative values.
      let shown = value < max(limit ?? 0, 0) ? 0 : (value * scale).rounded() / scale
      return Reading(
        time: engine.grid.time(index), value: shown, unit: .bloodGramsPerKilogram,
        limitOfDetection: limit)
    }
  }

  private func normal(_ mean: Double, _ sd: Double, in range: ClosedRange<Double>) -> Double {
    min(max(mean + sd * random.nextNormal(), range.lowerBound), range.upperBound)
  }
}

/// The design of a simulated cohort: its size, errors and model.
package struct CohortDesign: Hashable, Sendable {
  package var subjects: Int
  /// Equal seeds give equal cohorts; a longer one begins with the same subjects.
  package var seed: UInt64
  package var readings: Int
  /// The time between readings, and from the first drink to the first reading.
  package var every: Hours
  package var noise: GramsPerKilogram
  /// Readings below it are shown as 0; nil for an instrument without a limit of detection.
  package var limitOfDetection: GramsPerKilogram?
  /// Standard deviation of log r about Watson's; 0 gives everybody Watson's r.
  package var spreadOfR: Double
  package var model: EliminationModel

  package init(
    subjects: Int, seed: UInt64 = 1, readings: Int = 25, every: Hours = Hours(minutes: 20),
    noise: GramsPerKilogram = 0.02, limitOfDetection: GramsPerKilogram? = nil,
    spreadOfR: Double = 0.05, model: EliminationModel = .widmark
  ) {
    self.subjects = subjects
    self.seed = seed
    self.readings = readings
    self.every = every
    self.noise = noise
    self.limitOfDetection = limitOfDetection
    self.spreadOfR = spreadOfR
    self.model = model
  }
}

/// A simulated subject whose true parameters are known.
package struct SimulatedPerson: Hashable, Sendable {
  /// The subject, the drinks and the readings.
  package let series: Series
  /// The true parameters.
  package let parameters: ModelParameters
}

extension ModelParameters {
  /// The concentrations on the grid of an engine, in g/kg; NaN where the curve cannot be followed.
  func concentrations(of regimen: Regimen, on engine: CurveEngine) -> [Double] {
    if model == .widmark, let parameters = try? KineticParameters(values) {
      return engine.concentrations(of: regimen, parameters)
    }
    let times = (0..<engine.grid.count).map { engine.grid.time($0).value }
    return predictions(of: regimen, at: times)
  }
}
