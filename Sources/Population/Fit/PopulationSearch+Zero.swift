import RealModule

// Variances of which nothing is left: whether it is so, and how large they may be.

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
  /// can be: there the objective, lowest in everything else, is higher by so much. Nil if it never is.
  ///
  /// - Parameters:
  ///   - place: The place of its logarithm in the vector.
  ///   - rise: By how much.
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
