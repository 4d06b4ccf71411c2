import AlcoholKinetics
import Estimation
import RealModule

/// Simulates the readings of everybody by a model, as often as is asked.
///
/// A replicate depends on the seed, the subject's data and its number alone; so it is the same for any number of
/// threads, whatever people are called, and whoever else is in the study.
struct PopulationSimulation: Sendable {
  let people: People
  let setting: Setting
  let seed: UInt64
  /// What becomes of readings below detection.
  let censoring: Censoring
  /// A number of each subject's own, by their data: of those who are the same in everything the next ones.
  private let numbers: [UInt64]
  /// The factor of Omega.
  private let lower: Dense
  /// The factor of Pi.
  private let within: Dense

  /// - Returns: Nil where Omega is no covariance.
  init?(_ people: People, _ model: PopulationModel, _ values: PopulationValues, seed: UInt64) {
    let size = people.coordinates.random.between.count
    guard let setting = people.coordinates.setting(values, people.all),
      let lower = Dense(size, size, values.between).cholesky, let within = values.pi.cholesky
    else { return nil }
    self.people = people
    self.setting = setting
    self.seed = seed
    self.lower = lower
    censoring = model.selection.censoring
    self.within = within
    var equals: [UInt64: UInt64] = [:]
    numbers = people.series.map { series in
      let number = series.first?.seed() ?? 0
      defer { equals[number, default: 0] += 1 }
      return number &+ equals[number, default: 0]
    }
  }

  /// Random numbers of a person's own, for some purpose.
  func stream(_ person: Person, _ purpose: Int) -> RandomStream {
    RandomStream(seed, numbers[person.index], UInt64(truncatingIfNeeded: purpose))
  }

  /// Eight replicates of a person's readings in g/kg, reading by reading; what cannot be computed is infinite.
  func replicates(_ person: Person, batch: Int) -> [Lanes] {
    var stream = stream(person, batch)
    var effects = [Lanes](repeating: .zero, count: person.count)
    for lane in 0..<Lanes.scalarCount {
      for block in person.blocks {
        let factor = block.level == .person ? lower : within
        let deviates = (0..<factor.rows).map { _ in stream.normal() }
        for (place, effect) in (factor * deviates).enumerated() {
          effects[block.begin + place][lane] = effect
        }
      }
    }
    let residual = setting.residual
    var replicates: [Lanes] = []
    for (occasion, readings) in person.occasions.enumerated() {
      let mean = setting.means[person.index][occasion]
      let logarithms = mean.indices.map { parameter in
        person.effects(of: parameter, on: occasion).reduce(Lanes(repeating: mean[parameter])) {
          $0 + effects[$1]
        }
      }
      for prediction in readings.predictions(at: logarithms) {
        let deviation = residual.variance(at: LaneNumber(prediction)).lanes.squareRoot()
        var errors = Lanes.zero
        for lane in 0..<Lanes.scalarCount { errors[lane] = stream.normal() }
        let readings = prediction + deviation * errors
        replicates.append(readings.replacing(with: .infinity, where: readings .!= readings))
      }
    }
    return replicates
  }

  /// So many replicates of a person: a row for each reading.
  func table(_ person: Person, _ count: Int) -> [[Double]] {
    var rows = [[Double]](repeating: [], count: person.readingCount)
    for row in rows.indices { rows[row].reserveCapacity(count) }
    for batch in 0..<Self.batches(count) {
      let lanes = min(Lanes.scalarCount, count - batch * Lanes.scalarCount)
      for (row, readings) in replicates(person, batch: batch).enumerated() {
        for lane in 0..<lanes { rows[row].append(readings[lane]) }
      }
    }
    return rows
  }

  /// How many eights there are to so many.
  static func batches(_ count: Int) -> Int {
    (count + Lanes.scalarCount - 1) / Lanes.scalarCount
  }
}
