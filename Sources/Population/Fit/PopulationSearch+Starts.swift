import AlcoholKinetics
import Estimation
import RealModule
import StudyData

// Where a search begins, and whether a second start finds the minimum that it reports.

extension PopulationFit {
  /// What became of one start of the search.
  package struct Start: Codable, Hashable, Sendable {
    /// Where a start begins.
    package enum Origin: String, CaseIterable, Codable, Sendable {
      /// At the values of a typical subject, or those that were given.
      case typical
      /// At the medians of what each subject's own readings tell (two stages; Steimer, Mallet, Golmard & Boisvieux 1984).
      case ownFits = "own-fits"
      /// At those of a typical subject with absorption and elimination slower or faster.
      case shifted
      /// Beside the lowest minimum, if no other start found it.
      case beside
    }

    /// Where it began.
    package let origin: Origin
    /// The objective where it ended; nil if somebody's curve could not be followed.
    package let objective: Double?
    /// Whether it ended in a minimum. A start that creeps along far above another is given up.
    package let isConverged: Bool
  }

  /// Two ends of the search are the same minimum if their objectives differ by less: where it is 2, the minimum is a
  /// standard error away.
  public static let sameObjective = PopulationSearch.fairExpectedDecrease

  /// Whether a start ended at the minimum that is reported.
  package func isAtBest(_ start: Start) -> Bool {
    start.objective.map { $0 < objective + Self.sameObjective } ?? false
  }
}

extension PopulationSearch {
  /// The places where a search begins, by their origin: as many as the options ask for.
  static func beginnings(
    _ first: PopulationValues, _ data: PopulationData, _ model: PopulationModel,
    _ options: PopulationFit.Options
  ) -> [(origin: PopulationFit.Start.Origin, values: PopulationValues)] {
    if let only = options.beginning { return [(.typical, data.coordinates.holding(only))] }
    let count = Swift.max(1, options.starts)
    var beginnings = [(origin: PopulationFit.Start.Origin.typical, values: first)]
    if count > 1 {
      options.progress?("fitting everybody alone")
      if let own = data.ownValues(model, besides: first) { beginnings.append((.ownFits, own)) }
    }
    for shift in 1..<Swift.max(2, count) where beginnings.count < count {
      // Absorption and elimination slower or faster, alternately: a factor of 2, then 4.
      let factor = Double.log(2) * Double((shift + 1) / 2)
      beginnings.append((.shifted, first.shifted(data.coordinates, by: factor, odd: shift)))
    }
    return beginnings
  }

  /// Looks from beside the minimum whether the search comes back to it, if no second start ended there. What is lower
  /// takes its place.
  mutating func confirm(_ first: PopulationValues) {
    for attempt in 0..<4 {
      guard !Task.isCancelled, ends.count(where: isAtBest) < 2 else { return }
      let beside = values.shifted(objective.data.coordinates, by: 0.35, odd: attempt).widened
      let end = minimum(from: expectation(beside), best: best)
      take(end, from: .beside, first)
    }
  }

  private func isAtBest(_ start: PopulationFit.Start) -> Bool {
    start.objective.map { $0 < best + PopulationFit.sameObjective } ?? false
  }
}

extension PopulationValues {
  /// The same with typical values that are higher and lower by a factor, in turns.
  fileprivate func shifted(_ coordinates: Coordinates, by factor: Double, odd: Int) -> Self {
    var shifted = self
    for (index, place) in coordinates.typical.enumerated() {
      shifted.typical[place] += (index + odd).isMultiple(of: 2) ? factor : -factor
    }
    return shifted
  }

  /// The same with independent spreads that are not small, and larger errors.
  fileprivate var widened: Self {
    var widened = self
    for level in PopulationLevel.allCases {
      let least = level == .person ? 0.05 : 0.02
      widened[level] = Dense(diagonal: self[level].diagonal.map { Swift.max(least, $0) })
    }
    (widened.sd, widened.cv) = (1.5 * sd, 1.5 * cv)
    return widened
  }
}

extension PopulationData {
  /// The values that subjects' own fits lead to: medians of their logarithms, and spreads from the median distance to
  /// these, which a few bad fits do not move. Nil if hardly anybody's own readings tell anything.
  fileprivate func ownValues(
    _ model: PopulationModel, besides first: PopulationValues
  ) -> PopulationValues? {
    guard var alone = try? Self.options(model, coordinates.structure) else { return nil }
    alone.starts = StartDesign(count: 4)
    let options = alone
    let own = Parallel.map(all.count, jobs: jobs) { OwnFit(self, $0, options) }.compactMap(\.self)
    var values = first
    var isKnown = false
    for (place, parameter) in coordinates.structure.parameters.enumerated() {
      let logarithms = own.compactMap { $0.logarithm(of: parameter, place) }
      guard logarithms.count > 1, let center = Sample(logarithms)?.median,
        let distance = Sample(logarithms.map { abs($0 - center) })?.median
      else { continue }
      isKnown = true
      if coordinates.typical.contains(place) { values.typical[place] = center }
      guard let row = coordinates.random.person.firstIndex(of: place) else { continue }
      // The SD of a normal distribution is 1.4826 times its median distance from the middle.
      let variance = Swift.min(1, Swift.max(0.01, 2.198 * distance * distance))
      values.between[row * coordinates.random.person.count + row] = variance
    }
    for parameter in coordinates.residual {
      let sizes = own.compactMap { parameter == .sd ? $0.sd : $0.cv }
      guard let size = Sample(sizes)?.median, size > 1e-6 else { continue }
      values.residual[parameter] = size
    }
    return isKnown ? values : nil
  }
}

/// What one subject's own readings tell.
private struct OwnFit: Sendable {
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
    var known: [FitParameter: [Double]] = [:]
    for fit in fits {
      for (parameter, estimate) in fit.estimates where !estimate.isAtBound && estimate.value > 0 {
        known[parameter, default: []].append(.log(estimate.value))
      }
    }
    logarithms = known.mapValues { $0.reduce(0, +) / Double($0.count) }
    offsets = data.all[person].offsets.first ?? []
    (sd, cv) = (first.noise?.sd, first.noise?.cv)
  }

  func logarithm(of parameter: PopulationParameter, _ place: Int) -> Double? {
    let value: Double? =
      switch parameter {
      case .kinetic(let own): logarithms[own]
      case .clearance: logarithms[.ke].flatMap { ke in logarithms[.r].map { ke + $0 } }
      }
    return value.map { $0 - (offsets.indices.contains(place) ? offsets[place] : 0) }
  }
}

extension PopulationSearch {
  /// The vector with spreads that are on their way to nothing at the smallest there can be, where the objective is the
  /// same: by its logarithm such a spread creeps, and where it stops is chance. Nil if there are none.
  func settledAtZero() -> [Double]? {
    let vector = objective.data.coordinates.vector(values)
    var settled = vector
    for place in smallSpreads(vector) { settled[place] = .log(CovarianceFactor.smallestSpread) }
    guard settled != vector,
      objective.value(at: settled, near: modes)
        < objective.value(at: vector, near: modes) + Self.smallExpectedDecrease
    else { return nil }
    return settled
  }

  private func smallSpreads(_ vector: [Double]) -> [Int] {
    vector.indices.filter {
      vector[$0] < .log(Self.smallSpread) && objective.data.coordinates.spread(at: $0) != nil
    }
  }

  /// A lower end, if there is one where spreads that fell to nearly nothing are wider: by its logarithm the slope of such
  /// a spread is nearly zero, whether there is a minimum or not.
  func leavingZero(_ best: Double) -> End? {
    let vector = objective.data.coordinates.vector(values)
    let small = smallSpreads(vector)
    guard !small.isEmpty else { return nil }
    let trials = ([small] + (small.count > 1 ? small.map { [$0] } : [])).map { places in
      var trial = vector
      for place in places { trial[place] = .log(10 * Self.smallSpread) }
      return (vector: trial, value: objective.value(at: trial, near: modes))
    }
    guard let lowest = trials.min(by: { $0.value < $1.value }),
      lowest.value < best - Self.fairExpectedDecrease, !Task.isCancelled,
      let end = minimum(from: (lowest.vector, modes)),
      end.here.value < best - Self.fairExpectedDecrease
    else { return nil }
    return end
  }

  /// A spread of a logarithm that says of a parameter that subjects hardly differ in it.
  private static let smallSpread = 0.01

  /// The largest standard deviation of a logarithm that the readings allow, where the likeliest is the smallest there
  /// can be: there the objective, lowest in everything else, is higher by `rise`. Nil if it never is.
  func upperSpread(at place: Int, rise: Double) -> Double? {
    var from = (vector: objective.data.coordinates.vector(values), modes: modes)
    let lowest = objective.value(at: from.vector, near: modes)
    func excess(_ spread: Double) -> Double? {
      from.vector[place] = .log(spread)
      guard let end = minimum(from: from, holding: place), end.isConverged else { return nil }
      from = (end.vector, end.here.modes)
      return end.here.value - lowest - rise
    }
    // A spread by a factor of e^10 is as good as none.
    var (low, high) = (CovarianceFactor.smallestSpread, 0.1)
    var below = -rise
    guard var above = excess(high) else { return nil }
    while above < 0 {
      guard high < 10, let next = excess(2 * high) else { return nil }
      (low, below) = (high, above)
      (high, above) = (2 * high, next)
    }
    // The objective is nearly a parabola in the spread near zero, and so is its root a line (regula falsi).
    for _ in 0..<20 where high - low > 0.01 * high && above > 0.02 {
      let (root, other) = (
        Swift.max(0, below + rise).squareRoot(), (above + rise).squareRoot()
      )
      let share = (rise.squareRoot() - root) / (other - root)
      let middle = low + Swift.min(0.9, Swift.max(0.1, share)) * (high - low)
      guard let found = excess(middle) else { return nil }
      if found < 0 { (low, below) = (middle, found) } else { (high, above) = (middle, found) }
    }
    return high
  }
}
