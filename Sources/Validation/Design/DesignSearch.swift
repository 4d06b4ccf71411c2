import Estimation
import Statistics

/// Finds the most informative reading times by Fedorov exchange: replaces one reading after another
/// by the best candidate until no exchange improves the criterion (Cook & Nachtsheim 1980,
/// Technometrics 22, 315), from several starts.
///
/// Maximises the mean of the criteria over cases: locally D-optimal for one case, the expected log
/// determinant for draws from a prior (Chaloner & Verdinelli 1995).
struct DesignSearch: Sendable {
  let cases: [CaseInformation]
  /// The times of candidates and of kept readings, in min, ascending.
  let minutes: [Double]
  /// The candidates that can be chosen, ascending.
  let allowed: [Int]
  /// Readings taken in any case.
  var kept: [Int] = []
  /// The smallest distance between two chosen readings, or a chosen and a kept one, in min.
  let apart: Double

  /// Smaller gains of the criterion count as rounding.
  private static let leastGain = 1e-9

  /// Returns the criterion for readings, in order of time.
  func value(of readings: [Int]) -> Double {
    cases.reduce(0) { sum, design in
      let information = design.information(of: readings)
      var scratch = [Double](repeating: 0, count: information.count + design.size)
      return sum + design.value(information, &scratch)
    } / Double(cases.count)
  }

  /// Finds the best readings, including kept ones, in order of time; nil if so many do not fit.
  ///
  /// - Parameters:
  ///   - count: The number to choose.
  ///   - starts: The number of starts.
  ///   - jobs: The number of threads; the result does not depend on it.
  func best(
    _ count: Int, starts: Int, seed: UInt64, jobs: Int
  ) throws(SeriesFailure) -> [Int]? {
    guard let fallback = firstFeasible(count, from: allowed) else { return nil }
    let ends = try ParallelMap.map(Array(0..<max(1, starts)), jobs: jobs) {
    } _: { (_: Void, start) in
      var numbers = RandomStream(seed, UInt64(start))
      let order = numbers.shuffled(allowed)
      let end = improvedByExchange(firstFeasible(count, from: order) ?? fallback)
      return (end, value(of: end))
    }
    return ends.max { $0.1 < $1.1 }?.0
  }

  /// Picks the first candidates that keep the distance; nil if there are too few.
  private func firstFeasible(_ count: Int, from order: [Int]) -> [Int]? {
    var chosen = kept
    for candidate in order where chosen.count < kept.count + count {
      if chosen.allSatisfy({ isApart($0, candidate) }) { chosen.append(candidate) }
    }
    return chosen.count == kept.count + count ? chosen.sorted() : nil
  }

  private func isApart(_ first: Int, _ second: Int) -> Bool {
    first != second && abs(minutes[first] - minutes[second]) >= apart - 1e-9
  }

  /// Exchanges readings until no single exchange improves the criterion.
  private func improvedByExchange(_ start: [Int]) -> [Int] {
    var readings = start
    var current = value(of: start)
    var isImproved = true
    while isImproved {
      isImproved = false
      for reading in readings where !kept.contains(reading) {
        let rest = readings.filter { $0 != reading }
        guard let (candidate, value) = bestAddition(to: rest),
          value > current + Self.leastGain
        else { continue }
        readings = (rest + [candidate]).sorted()
        current = value
        isImproved = true
      }
    }
    return readings
  }

  /// Returns the candidate that adds most to some readings, and the criterion with it.
  private func bestAddition(to rest: [Int]) -> (candidate: Int, value: Double)? {
    let bases = cases.map { $0.information(of: rest) }
    var sum = cases[0].zeroInformation
    var scratch = [Double](repeating: 0, count: sum.count + cases[0].size)
    var best: (candidate: Int, value: Double)?
    var position = 0
    for candidate in allowed {
      while position < rest.count, rest[position] < candidate { position += 1 }
      let previous = position > 0 ? rest[position - 1] : nil
      let next = position < rest.count ? rest[position] : nil
      guard previous.map({ isApart($0, candidate) }) ?? true,
        next.map({ isApart($0, candidate) }) ?? true
      else { continue }
      var total = 0.0
      for (design, base) in zip(cases, bases) {
        for index in sum.indices { sum[index] = base[index] }
        design.insert(candidate, between: previous, and: next, into: &sum)
        total += design.value(sum, &scratch)
      }
      let value = total / Double(cases.count)
      if value > best?.value ?? -.infinity { best = (candidate, value) }
    }
    return best
  }
}

extension RandomStream {
  /// Some numbers in random order (Fisher & Yates).
  fileprivate mutating func shuffled(_ numbers: [Int]) -> [Int] {
    var numbers = numbers
    for end in numbers.indices.dropFirst().reversed() {
      numbers.swapAt(end, Int(uniform() * Double(end + 1)))
    }
    return numbers
  }
}
