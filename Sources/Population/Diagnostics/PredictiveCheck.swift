package import AlcoholKinetics
import Estimation
import RealModule

/// A visual predictive check: percentiles of the readings in bins of time, beside bands of those that simulated
/// studies have.
///
/// Readings below detection are below every percentile that can be seen, in the study as in its replicates; how
/// many there are has a check of its own (Bergstrand & Karlsson 2009).
package struct PredictiveCheck: Codable, Hashable, Sendable {
  /// What the percentiles describe.
  package enum Kind: String, CaseIterable, Codable, Sendable {
    /// Readings as they are.
    case concentration
    /// Readings as if everybody had the typical prediction of the bin: y PRED_bin / PRED, the median of the bin
    /// over the reading's own (Bergstrand et al. 2011).
    case predictionCorrected = "prediction-corrected"
    /// The same, with the distance to PRED_bin as if everybody had the median standard deviation of the bin, too.
    case variabilityCorrected = "variability-corrected"
    /// The fraction of the readings that is below the limit of detection. The limit of a study holds for all its readings,
    /// also for those that do not carry it; where limits differ, readings without one do not take part.
    case belowDetection = "below-detection"
  }

  /// A percentile in a bin; concentrations are in g per kg of blood.
  package struct Row: Codable, Hashable, Sendable {
    /// What it describes.
    package let kind: Kind
    /// The first time after the first drink in the bin.
    package let from: Hours
    /// The last.
    package let to: Hours
    /// The median of the times.
    package let middle: Hours
    /// The readings that take part.
    package let readings: Int
    /// 5, 50 or 95; nil for a fraction.
    package let percentile: Int?
    /// That of the study; nil if it is below detection.
    package let observed: Double?
    /// The 2.5th percentile of what simulated studies have; nil if it is below detection, as are the next two.
    package let low: Double?
    /// Their median.
    package let median: Double?
    /// The 97.5th percentile.
    package let high: Double?
    /// Whether that of the study is in the band: one below detection is where the band reaches below detection.
    package let isInside: Bool
  }

  /// By kind, bin and percentile.
  package let rows: [Row]

  /// The percentiles that are compared.
  package static let percentiles = [5, 50, 95]

  /// Fills in the corrected readings; `deviations` are the standard deviations of each among replicates.
  init(
    _ readings: inout [PopulationDiagnostics.Reading], _ simulation: PopulationSimulation,
    deviations: [Double], _ options: PopulationDiagnostics.Options
  ) {
    let bins = Self.bins(readings.map(\.sinceFirstDrink.value), options.bins)
    let design = Design(
      readings, bins, deviations, hasLimits: simulation.censoring != .none)
    for index in readings.indices where !readings[index].isBelowDetection {
      let observed = readings[index].observed
      readings[index].predictionCorrected = design.corrected(observed, index)
      readings[index].variabilityCorrected = design.scaled(observed, index)
    }
    let study = design.statistics { index in
      let reading = readings[index]
      return reading.isBelowDetection || reading.observed < design.limits[index]
        ? -.infinity : reading.observed
    }
    var replicates = [[Double]](repeating: [], count: study.count)
    for batch in Self.blocks(options.simulations, readings.count) {
      guard !Task.isCancelled else {
        rows = []
        return
      }
      let data = simulation.data
      let simulated = data.map { subject in
        batch.map { simulation.replicates(subject, batch: $0) }
      }
      for place in batch.indices {
        let flat = simulated.flatMap { $0[place - batch.startIndex] }
        let lanes = min(
          Lanes.scalarCount, options.simulations - place * Lanes.scalarCount)
        let found = Parallel.map(lanes, jobs: data.jobs) { lane in
          design.statistics { index in
            let value = flat[index][lane]
            return value < design.limits[index] ? -.infinity : value
          }
        }
        for numbers in found {
          for (index, number) in numbers.enumerated() { replicates[index].append(number) }
        }
      }
    }
    rows = design.rows(study, replicates.map { $0.sorted() }, readings)
  }

  /// Numbers of eights that are simulated before any is looked at, so that memory does not grow with their
  /// number.
  private static func blocks(_ simulations: Int, _ readings: Int) -> [Range<Int>] {
    let batches = PopulationSimulation.batches(simulations)
    let size = max(1, 500_000 / (Lanes.scalarCount * max(1, readings)))
    return stride(from: 0, to: batches, by: size).map { $0..<min(batches, $0 + size) }
  }

  /// Which readings stand in which bin, about as many in each; those of one time stand together.
  static func bins(_ times: [Double], _ wanted: Int?) -> [[Int]] {
    let count = max(1, wanted ?? min(10, times.count / 10))
    let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
    var bins: [[Int]] = []
    var bin: [Int] = []
    for (rank, index) in order.enumerated() {
      bin.append(index)
      let isTie = rank + 1 < order.count && times[order[rank + 1]] - times[index] < 1e-6
      let end = Double((bins.count + 1) * order.count) / Double(count)
      if !isTie, Double(rank + 1) >= end - 0.5 || rank + 1 == order.count {
        bins.append(bin)
        bin = []
      }
    }
    return bins
  }
}

/// What does not differ between replicates.
private struct Design: Sendable {
  let bins: [[Int]]
  /// Those of the readings; none is minus infinity.
  let limits: [Double]
  /// By which readings are multiplied; nil for those that no factor brings to the prediction of the bin.
  private let factors: [Double?]
  /// By which the distance to the prediction of the bin is multiplied then.
  private let scales: [Double]
  /// The median prediction in the bin of each reading.
  private let centers: [Double]

  /// Predictions this much smaller than the median of their bin say nothing that can be brought to it.
  private static let smallestShare = 0.1

  init(
    _ readings: [PopulationDiagnostics.Reading], _ bins: [[Int]], _ deviations: [Double],
    hasLimits: Bool
  ) {
    self.bins = bins
    let stated = Set(readings.compactMap(\.limit))
    let common = stated.count == 1 ? stated.first : nil
    limits = readings.map { hasLimits ? $0.limit ?? common ?? -.infinity : -.infinity }
    var factors = [Double?](repeating: nil, count: readings.count)
    var centers = [Double](repeating: 0, count: readings.count)
    var scales = [Double](repeating: 1, count: readings.count)
    for bin in bins {
      let center = Sample(bin.map { readings[$0].population })?.median ?? 0
      var spreads: [Double] = []
      for index in bin {
        let own = readings[index].population
        centers[index] = center
        guard own > 0, own >= Self.smallestShare * center, center > 0 else { continue }
        factors[index] = center / own
        spreads.append(deviations[index] * center / own)
      }
      let usual = Sample(spreads)?.median ?? 0
      for index in bin {
        guard let factor = factors[index], deviations[index] > 0, usual > 0 else { continue }
        scales[index] = usual / (deviations[index] * factor)
      }
    }
    self.factors = factors
    self.centers = centers
    self.scales = scales
  }

  func corrected(_ value: Double, _ index: Int) -> Double? { factors[index].map { $0 * value } }

  func scaled(_ value: Double, _ index: Int) -> Double? {
    corrected(value, index).map { centers[index] + ($0 - centers[index]) * scales[index] }
  }

  /// Every number of a study, bin after bin: three percentiles of each kind, and the fraction below detection.
  func statistics(_ value: (Int) -> Double) -> [Double] {
    bins.flatMap { bin -> [Double] in
      let values = bin.map(value)
      let plain = Self.quantiles(values)
      let corrected = Self.quantiles(zip(bin, values).compactMap { self.corrected($1, $0) })
      let scaled = Self.quantiles(zip(bin, values).compactMap { self.scaled($1, $0) })
      let limited = zip(bin, values).filter { limits[$0.0] > -.infinity }
      let below = Double(limited.count { $0.1 == -.infinity }) / Double(limited.count)
      return plain + corrected + scaled + [below]
    }
  }

  /// NaN without any values.
  private static func quantiles(_ values: [Double]) -> [Double] {
    guard !values.isEmpty else { return PredictiveCheck.percentiles.map { _ in .nan } }
    let sorted = values.sorted()
    return PredictiveCheck.percentiles.map { quantile(0.01 * Double($0), sorted) }
  }

  /// A quantile between a reading below detection and a number counts as below detection.
  private static func quantile(_ p: Double, _ sorted: [Double]) -> Double {
    let position = Int(p * Double(sorted.count - 1))
    return sorted[position].isFinite
      ? EmpiricalQuantile.type7(p, ofSorted: sorted) : sorted[position]
  }

  /// The highest limit of detection of some readings, corrected as they are.
  private func highestLimit(_ kind: PredictiveCheck.Kind, _ bin: [Int]) -> Double {
    bin.compactMap { index -> Double? in
      guard limits[index] > -.infinity else { return nil }
      return switch kind {
      case .concentration, .belowDetection: limits[index]
      case .predictionCorrected: corrected(limits[index], index)
      case .variabilityCorrected: scaled(limits[index], index)
      }
    }.max() ?? -.infinity
  }

  func rows(
    _ study: [Double], _ replicates: [[Double]], _ readings: [PopulationDiagnostics.Reading]
  ) -> [PredictiveCheck.Row] {
    let percentiles = PredictiveCheck.percentiles
    let width = 3 * percentiles.count + 1
    return PredictiveCheck.Kind.allCases.enumerated().flatMap { order, kind in
      bins.indices.flatMap { bin -> [PredictiveCheck.Row] in
        let times = bins[bin].map { readings[$0].sinceFirstDrink.value }
        let taking = bins[bin].count { index in
          switch kind {
          case .concentration: true
          case .predictionCorrected, .variabilityCorrected: factors[index] != nil
          case .belowDetection: limits[index] > -.infinity
          }
        }
        guard taking > 0, let first = times.first, let last = times.last,
          let middle = Sample(times)?.median
        else { return [] }
        let begin = bin * width + order * percentiles.count
        let places = kind == .belowDetection ? [nil] : percentiles.map(Optional.some)
        return places.enumerated().map { place, percentile in
          let simulated = replicates[begin + place]
          func end(_ p: Double) -> Double? {
            let number = Self.quantile(p, simulated)
            return number.isFinite ? number : nil
          }
          let own = study[begin + place]
          let (low, high) = (end(0.025), end(0.975))
          // Of a percentile below detection no more is known than that it is below the limit.
          let lowest = own.isFinite ? own : highestLimit(kind, bins[bin])
          return PredictiveCheck.Row(
            kind: kind, from: Hours(first), to: Hours(last), middle: Hours(middle),
            readings: taking,
            percentile: percentile, observed: own.isFinite ? own : nil, low: low,
            median: end(0.5), high: high,
            isInside: lowest >= low ?? -.infinity && own <= high ?? -.infinity)
        }
      }
    }
  }
}

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
