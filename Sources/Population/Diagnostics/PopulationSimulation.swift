import AlcoholKinetics
import Estimation
import RealModule

/// Simulates the readings of everybody by a model, as often as is asked.
///
/// A replicate depends on the seed, the subject's data and its number alone; so it is the same for any number of
/// threads, whatever subjects are called, and whoever else is in the study.
struct PopulationSimulation: Sendable {
  let data: PopulationData
  let prepared: PreparedPopulation
  let seed: UInt64
  /// What becomes of readings below detection.
  let censoring: Censoring
  /// A number of each subject's own, by their data: of those who are the same in everything the next ones.
  private let numbers: [UInt64]
  /// The factors of the covariances.
  private let factors: PerLevel<Dense>

  /// - Returns: Nil where Omega is no covariance.
  init?(_ data: PopulationData, _ model: PopulationModel, _ values: PopulationValues, seed: UInt64)
  {
    guard let prepared = data.coordinates.prepared(values, data.all),
      let factors = PerLevel(ofAll: { values[$0].cholesky })
    else { return nil }
    self.data = data
    self.prepared = prepared
    self.seed = seed
    self.factors = factors
    censoring = model.selection.censoring
    var equals: [UInt64: UInt64] = [:]
    numbers = data.series.map { series in
      let number = series.first?.seed() ?? 0
      defer { equals[number, default: 0] += 1 }
      return number &+ equals[number, default: 0]
    }
  }

  /// Random numbers of a subject's own, for some purpose.
  func stream(_ subject: SubjectLikelihood, _ purpose: Int) -> RandomStream {
    RandomStream(seed, numbers[subject.index], UInt64(truncatingIfNeeded: purpose))
  }

  /// Eight replicates of a subject's readings in g/kg, reading by reading; what cannot be computed is infinite.
  func replicates(_ subject: SubjectLikelihood, batch: Int) -> [Lanes] {
    var stream = stream(subject, batch)
    var effects = [Lanes](repeating: .zero, count: subject.count)
    for lane in 0..<Lanes.scalarCount {
      for block in subject.blocks {
        let factor = factors[block.level]
        let deviates = (0..<factor.rows).map { _ in stream.normal() }
        for (place, effect) in (factor * deviates).enumerated() {
          effects[block.begin + place][lane] = effect
        }
      }
    }
    let residual = prepared.residual
    var replicates: [Lanes] = []
    for (occasion, readings) in subject.occasions.enumerated() {
      let mean = prepared.means[subject.index][occasion]
      let logarithms = mean.indices.map { parameter in
        subject.effects(of: parameter, on: occasion).reduce(Lanes(repeating: mean[parameter])) {
          $0 + effects[$1]
        }
      }
      for prediction in readings.predictions(at: logarithms) {
        let deviation = prediction.map(residual.variance).squareRoot()
        var errors = Lanes.zero
        for lane in 0..<Lanes.scalarCount { errors[lane] = stream.normal() }
        let readings = prediction + deviation * errors
        replicates.append(readings.replacing(with: .infinity, where: readings .!= readings))
      }
    }
    return replicates
  }

  /// So many replicates of a subject: a row for each reading.
  func table(_ subject: SubjectLikelihood, _ count: Int) -> [[Double]] {
    var rows = [[Double]](repeating: [], count: subject.readingCount)
    for row in rows.indices { rows[row].reserveCapacity(count) }
    for batch in 0..<Self.batches(count) {
      let lanes = min(Lanes.scalarCount, count - batch * Lanes.scalarCount)
      for (row, readings) in replicates(subject, batch: batch).enumerated() {
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
