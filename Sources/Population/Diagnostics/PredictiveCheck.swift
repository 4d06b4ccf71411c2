package import AlcoholKinetics
import Estimation
import RealModule

/// A visual predictive check (VPC): percentiles of the readings in time bins, with 95 % bands from simulated studies.
///
/// Readings below detection rank below all others, in the study as in its replicates. Their fraction has a check of its own
/// (Bergstrand & Karlsson 2009).
package struct PredictiveCheck: Codable, Hashable, Sendable {
  /// The quantity whose percentiles are compared.
  package enum Kind: String, CaseIterable, Codable, Sendable {
    /// The readings, uncorrected.
    case concentration
    /// Prediction-corrected readings, y PRED_bin / PRED, with the median PRED of the bin over the reading's own (pcVPC:
    /// Bergstrand et al. 2011).
    case predictionCorrected = "prediction-corrected"
    /// Prediction- and variability-corrected readings (pvcVPC): their distance to PRED_bin is also scaled to the median
    /// standard deviation of the bin.
    case variabilityCorrected = "variability-corrected"
    /// The fraction of readings below the limit of detection. A single limit applies to all readings of the study; if
    /// limits differ, readings without one are left out.
    case belowDetection = "below-detection"
  }

  /// A percentile in a bin; concentrations are in g per kg of blood.
  package struct Row: Codable, Hashable, Sendable {
    /// The quantity of the percentile.
    package let kind: Kind
    /// The earliest time in the bin, after the first drink.
    package let from: Hours
    /// The latest time in the bin.
    package let to: Hours
    /// The median time of the bin.
    package let middle: Hours
    /// The number of readings in the percentile.
    package let readings: Int
    /// 5, 50 or 95; nil for a fraction.
    package let percentile: Int?
    /// The percentile of the study; nil if it is below detection.
    package let observed: Double?
    /// The 2.5th percentile over the simulated studies; nil if it is below detection, as are the next two.
    package let low: Double?
    /// The median over the simulated studies.
    package let median: Double?
    /// The 97.5th percentile over the simulated studies.
    package let high: Double?
    /// Whether the study's percentile is in the band; one below detection is if the band reaches below detection.
    package let isInside: Bool
  }

  /// The rows, by kind, bin and percentile.
  package let rows: [Row]

  /// The percentiles that are compared.
  package static let percentiles = [5, 50, 95]

  /// Runs the check, and fills in the corrected readings.
  ///
  /// - `deviations`: The standard deviation of each reading over the replicates.
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
      for number in batch.indices {
        let flat = simulated.flatMap { $0[number - batch.startIndex] }
        let lanes = min(
          Lanes.scalarCount, options.simulations - number * Lanes.scalarCount)
        let statistics = Parallel.map(lanes, jobs: data.jobs) { lane in
          design.statistics { index in
            let value = flat[index][lane]
            return value < design.limits[index] ? -.infinity : value
          }
        }
        for values in statistics {
          for (index, value) in values.enumerated() { replicates[index].append(value) }
        }
      }
    }
    rows = design.rows(study, replicates.map { $0.sorted() }, readings)
  }

  /// Ranges of batches of eight replicates that are simulated at a time, to bound the memory.
  private static func blocks(_ simulations: Int, _ readings: Int) -> [Range<Int>] {
    let batches = PopulationSimulation.batches(simulations)
    let size = max(1, 500_000 / (Lanes.scalarCount * max(1, readings)))
    return stride(from: 0, to: batches, by: size).map { $0..<min(batches, $0 + size) }
  }

  /// The indices of the readings in each bin: about equally many, those of equal time together.
  static func bins(_ times: [Double], _ requested: Int?) -> [[Int]] {
    let count = max(1, requested ?? min(10, times.count / 10))
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

/// The bins, limits and corrections, which are common to all replicates.
private struct Design: Sendable {
  let bins: [[Int]]
  /// The limit of detection of each reading; minus infinity without one.
  let limits: [Double]
  /// The prediction correction of each reading; nil if its prediction is too small for one.
  private let factors: [Double?]
  /// The variability correction of each reading.
  private let scales: [Double]
  /// The median prediction in the bin of each reading.
  private let centers: [Double]

  /// The smallest prediction, relative to the median of its bin, that is corrected.
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
        let prediction = readings[index].population
        centers[index] = center
        guard prediction > 0, prediction >= Self.smallestShare * center, center > 0
        else { continue }
        factors[index] = center / prediction
        spreads.append(deviations[index] * center / prediction)
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

  /// All statistics of a study, bin after bin: three percentiles of each kind, and the fraction below detection.
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

  /// The percentiles of values; NaN without any.
  private static func quantiles(_ values: [Double]) -> [Double] {
    guard !values.isEmpty else { return PredictiveCheck.percentiles.map { _ in .nan } }
    let sorted = values.sorted()
    return PredictiveCheck.percentiles.map { quantile(0.01 * Double($0), sorted) }
  }

  /// A quantile; between a reading below detection and a number it is below detection.
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
        let columns = kind == .belowDetection ? [nil] : percentiles.map(Optional.some)
        return columns.enumerated().map { offset, percentile in
          let simulated = replicates[begin + offset]
          func end(_ p: Double) -> Double? {
            let number = Self.quantile(p, simulated)
            return number.isFinite ? number : nil
          }
          let value = study[begin + offset]
          let low = end(0.025)
          let high = end(0.975)
          // A percentile below detection may be anywhere up to the limit.
          let lowest = value.isFinite ? value : highestLimit(kind, bins[bin])
          return PredictiveCheck.Row(
            kind: kind, from: Hours(first), to: Hours(last), middle: Hours(middle),
            readings: taking,
            percentile: percentile, observed: value.isFinite ? value : nil, low: low,
            median: end(0.5), high: high,
            isInside: lowest >= low ?? -.infinity && value <= high ?? -.infinity)
        }
      }
    }
  }
}

/// Simulates the readings of all subjects by a model.
///
/// A replicate depends only on the seed, its number and the subject's data. It is thus the same for any number of threads,
/// whatever the subjects' names, and whatever other subjects the study has.
struct PopulationSimulation: Sendable {
  let data: PopulationData
  let prepared: PreparedPopulation
  let seed: UInt64
  /// The treatment of readings below detection.
  let censoring: Censoring
  /// The seed of each subject, by the data; subjects with identical data take successive numbers.
  private let numbers: [UInt64]
  /// The Cholesky factors of the covariances.
  private let factors: PerLevel<Dense>

  /// Returns nil if Omega is not positive definite.
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

  /// The random numbers of a subject for some purpose.
  func stream(_ subject: SubjectLikelihood, _ purpose: Int) -> RandomStream {
    RandomStream(seed, numbers[subject.index], UInt64(truncatingIfNeeded: purpose))
  }

  /// Eight replicates of a subject's readings in g/kg, one set of lanes for each reading; infinite where there is no curve.
  func replicates(_ subject: SubjectLikelihood, batch: Int) -> [Lanes] {
    var stream = stream(subject, batch)
    var effects = [Lanes](repeating: .zero, count: subject.count)
    for lane in 0..<Lanes.scalarCount {
      for block in subject.blocks {
        let factor = factors[block.level]
        let deviates = (0..<factor.rows).map { _ in stream.normal() }
        for (index, effect) in (factor * deviates).enumerated() {
          effects[block.begin + index][lane] = effect
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

  /// `count` replicates of a subject, a row for each reading.
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

  /// The number of batches of eight for `count` replicates.
  static func batches(_ count: Int) -> Int {
    (count + Lanes.scalarCount - 1) / Lanes.scalarCount
  }
}
