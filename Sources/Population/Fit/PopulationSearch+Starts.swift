import AlcoholKinetics
import Estimation
import RealModule
import StudyData

// Starting points of a search, and the verification of its minimum from a second start.

extension PopulationFit {
  /// The result of one start of the search.
  package struct Start: Codable, Hashable, Sendable {
    /// The origin of a starting point.
    package enum Origin: String, CaseIterable, Codable, Sendable {
      /// The values of a typical subject, or given ones.
      case typical
      /// The medians of individual fits (standard two-stage; Steimer, Mallet, Golmard & Boisvieux 1984).
      case ownFits = "own-fits"
      /// The values of a typical subject, with absorption and elimination slower or faster.
      case shifted
      /// A point beside the lowest minimum, if no other start found that.
      case beside
    }

    /// The origin of the start.
    package let origin: Origin
    /// The OFV at its end; nil if some curve could not be followed.
    package let objective: Double?
    /// Whether it converged. A start that creeps far above another is given up.
    package let isConverged: Bool
  }

  /// Two starts found the same minimum if their OFVs differ by less than this. (A difference of 2 is about one standard
  /// error.)
  public static let sameObjective = PopulationSearch.fairExpectedDecrease

  /// Whether a start ended at the reported minimum.
  package func isAtBest(_ start: Start) -> Bool {
    start.objective.map { $0 < objective + Self.sameObjective } ?? false
  }
}

extension PopulationSearch {
  /// The starting points with their origins, as many as the options request.
  static func startingPoints(
    _ first: PopulationValues, _ data: PopulationData, _ model: PopulationModel,
    _ options: PopulationFit.Options
  ) -> [(origin: PopulationFit.Start.Origin, values: PopulationValues)] {
    if let only = options.startValues { return [(.typical, data.coordinates.holding(only))] }
    let count = Swift.max(1, options.starts)
    var points = [(origin: PopulationFit.Start.Origin.typical, values: first)]
    if count > 1 {
      options.progress?("fitting everybody alone")
      if let values = data.twoStageValues(model, besides: first) {
        points.append((.ownFits, values))
      }
    }
    for shift in 1..<Swift.max(2, count) where points.count < count {
      // Absorption and elimination slower or faster, alternately: a factor of 2, then 4.
      let factor = Double.log(2) * Double((shift + 1) / 2)
      points.append((.shifted, first.shifted(data.coordinates, by: factor, odd: shift)))
    }
    return points
  }

  /// Restarts beside the minimum until a second start has found it, four times at most; a lower end replaces it.
  mutating func verifyFromSecondStart(_ first: PopulationValues) {
    for attempt in 0..<4 {
      guard !Task.isCancelled, ends.count(where: isAtBest) < 2 else { return }
      let beside = values.shifted(objective.data.coordinates, by: 0.35, odd: attempt).widened
      let end = minimum(from: expectationMaximisation(beside), best: best)
      record(end, from: .beside, first)
    }
  }

  private func isAtBest(_ start: PopulationFit.Start) -> Bool {
    start.objective.map { $0 < best + PopulationFit.sameObjective } ?? false
  }
}

extension PopulationValues {
  /// A copy whose typical values are alternately raised and lowered by `factor` on the log scale.
  fileprivate func shifted(_ coordinates: Coordinates, by factor: Double, odd: Int) -> Self {
    var shifted = self
    for (index, place) in coordinates.typical.enumerated() {
      shifted.typical[place] += (index + odd).isMultiple(of: 2) ? factor : -factor
    }
    return shifted
  }

  /// A copy with diagonal covariances, variances of at least 0.05 or 0.02, and residual errors 1.5 times as large.
  fileprivate var widened: Self {
    var widened = self
    for level in PopulationLevel.allCases {
      let least = level == .person ? 0.05 : 0.02
      widened[level] = Dense(diagonal: self[level].diagonal.map { Swift.max(least, $0) })
    }
    widened.sd = 1.5 * sd
    widened.cv = 1.5 * cv
    return widened
  }
}

extension PopulationData {
  /// Standard two-stage estimates: medians of the logarithms of individual fits, and variances from their median absolute
  /// deviation, both robust to a few bad fits. Nil if fewer than two subjects can be fitted on their own.
  fileprivate func twoStageValues(
    _ model: PopulationModel, besides first: PopulationValues
  ) -> PopulationValues? {
    guard var options = try? Self.options(model, coordinates.structure) else { return nil }
    options.starts = StartDesign(count: 4)
    let fits = Parallel.map(all.count, jobs: jobs) { [options] in IndividualFit(self, $0, options) }
      .compactMap(\.self)
    var values = first
    var isKnown = false
    for (index, parameter) in coordinates.structure.parameters.enumerated() {
      let logarithms = fits.compactMap { $0.logarithm(of: parameter, index) }
      guard logarithms.count > 1, let center = Sample(logarithms)?.median,
        let distance = Sample(logarithms.map { abs($0 - center) })?.median
      else { continue }
      isKnown = true
      if coordinates.typical.contains(index) { values.typical[index] = center }
      guard let row = coordinates.random.person.firstIndex(of: index) else { continue }
      // The SD of a normal distribution is 1.4826 times its median absolute deviation; the variance 2.198 times its
      // square.
      let variance = Swift.min(1, Swift.max(0.01, 2.198 * distance * distance))
      values.between[row * coordinates.random.person.count + row] = variance
    }
    for parameter in coordinates.residual {
      let sizes = fits.compactMap { parameter == .sd ? $0.sd : $0.cv }
      guard let size = Sample(sizes)?.median, size > 1e-6 else { continue }
      values.residual[parameter] = size
    }
    return isKnown ? values : nil
  }
}

/// The parameters fitted to one subject's own readings.
private struct IndividualFit: Sendable {
  /// The means over occasions of the logarithms of kinetic parameters that are not at a bound.
  private let logarithms: [FitParameter: Double]
  /// The logarithm of the r that a method predicts.
  private let offsets: [Double]
  let sd: Double?
  let cv: Double?

  init?(_ data: PopulationData, _ person: Int, _ options: FitOptions) {
    guard let fitter = try? SeriesFitter(options: options) else { return nil }
    let fits = data.series[person].compactMap {
      try? fitter.fit($0, instrument: data.instrument)
    }.filter(\.isConverged)
    guard let first = fits.first else { return nil }
    var values: [FitParameter: [Double]] = [:]
    for fit in fits {
      for (parameter, estimate) in fit.estimates where !estimate.isAtBound && estimate.value > 0 {
        values[parameter, default: []].append(.log(estimate.value))
      }
    }
    logarithms = values.mapValues { $0.reduce(0, +) / Double($0.count) }
    offsets = data.all[person].offsets.first ?? []
    sd = first.noise?.sd
    cv = first.noise?.cv
  }

  func logarithm(of parameter: PopulationParameter, _ index: Int) -> Double? {
    let value: Double? =
      switch parameter {
      case .kinetic(let parameter): logarithms[parameter]
      case .clearance: logarithms[.ke].flatMap { ke in logarithms[.r].map { ke + $0 } }
      }
    return value.map { $0 - (offsets.indices.contains(index) ? offsets[index] : 0) }
  }
}

extension PopulationSearch {
  /// The vector with vanishing standard deviations at their lower limit, if that does not raise the OFV; nil if there is
  /// none. On the log scale such a standard deviation creeps towards zero, and where it stops is chance.
  func atZeroVariance() -> [Double]? {
    let vector = objective.data.coordinates.vector(values)
    var atZero = vector
    for index in smallSpreads(vector) { atZero[index] = .log(CovarianceFactor.smallestSpread) }
    guard atZero != vector,
      objective.value(at: atZero, near: modes)
        < objective.value(at: vector, near: modes) + Self.smallExpectedDecrease
    else { return nil }
    return atZero
  }

  private func smallSpreads(_ vector: [Double]) -> [Int] {
    vector.indices.filter {
      vector[$0] < .log(Self.smallSpread) && objective.data.coordinates.spread(at: $0) != nil
    }
  }

  /// A lower minimum with a larger value of standard deviations that fell to nearly zero; nil if there is none. On the log
  /// scale the gradient by such a standard deviation is nearly zero whether it is at a minimum or not.
  func escapedZeroVariance(_ best: Double) -> End? {
    let vector = objective.data.coordinates.vector(values)
    let small = smallSpreads(vector)
    guard !small.isEmpty else { return nil }
    let trials = ([small] + (small.count > 1 ? small.map { [$0] } : [])).map { indices in
      var trial = vector
      for index in indices { trial[index] = .log(10 * Self.smallSpread) }
      return (vector: trial, value: objective.value(at: trial, near: modes))
    }
    guard let lowest = trials.min(by: { $0.value < $1.value }),
      lowest.value < best - Self.fairExpectedDecrease, !Task.isCancelled,
      let end = minimum(from: (lowest.vector, modes)),
      end.slope.value < best - Self.fairExpectedDecrease
    else { return nil }
    return end
  }

  /// Standard deviations of a logarithm below this count as nearly zero.
  private static let smallSpread = 0.01

  /// The upper limit of a standard deviation that was estimated as zero: the profile OFV is higher by `rise` there. Nil if
  /// it never rises so far.
  ///
  /// - Parameters:
  ///   - index: The coordinate of the logarithm of the standard deviation.
  ///   - rise: The rise of the OFV, such as 3.84.
  func upperSpread(at index: Int, rise: Double) -> Double? {
    var from = (vector: objective.data.coordinates.vector(values), modes: modes)
    let lowest = objective.value(at: from.vector, near: modes)
    func excess(_ spread: Double) -> Double? {
      from.vector[index] = .log(spread)
      guard let end = minimum(from: from, holding: index), end.isConverged else { return nil }
      from = (end.vector, end.slope.modes)
      return end.slope.value - lowest - rise
    }
    // A standard deviation of 10 on the log scale is no limit.
    var low = CovarianceFactor.smallestSpread
    var high = 0.1
    var below = -rise
    guard var above = excess(high) else { return nil }
    while above < 0 {
      guard high < 10, let next = excess(2 * high) else { return nil }
      low = high
      below = above
      high *= 2
      above = next
    }
    // Near zero the OFV is nearly a parabola in the standard deviation, so regula falsi works on its root.
    for _ in 0..<20 where high - low > 0.01 * high && above > 0.02 {
      let lowRoot = Swift.max(0, below + rise).squareRoot()
      let highRoot = (above + rise).squareRoot()
      let share = (rise.squareRoot() - lowRoot) / (highRoot - lowRoot)
      let middle = low + Swift.min(0.9, Swift.max(0.1, share)) * (high - low)
      guard let between = excess(middle) else { return nil }
      if between < 0 {
        low = middle
        below = between
      } else {
        high = middle
        above = between
      }
    }
    return high
  }
}
