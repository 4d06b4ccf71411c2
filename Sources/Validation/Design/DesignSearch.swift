import Estimation
import Statistics

/// Looks for the times whose readings tell most: exchanges one reading after the other for the best candidate until
/// none brings anything (Cook & Nachtsheim 1980, Technometrics 22, 315, after Fedorov), from several starts.
///
/// What is to be large is the mean over cases of their criteria: over one case it is locally optimal, over draws from
/// a prior the expected logarithm (Chaloner & Verdinelli 1995).
struct DesignSearch: Sendable {
  let cases: [CaseInformation]
  /// Candidates, and readings that are there anyway, in min, ascending.
  let minutes: [Double]
  /// The candidates that can be chosen, ascending.
  let allowed: [Int]
  /// Readings that are there anyway.
  var kept: [Int] = []
  /// What lies at least between two readings that are chosen, or a chosen one and one kept, in min.
  let apart: Double

  /// A gain of the criterion below this is rounding.
  private static let leastGain = 1e-9

  /// What the criterion says of readings, in order of time.
  func value(of readings: [Int]) -> Double {
    cases.reduce(0) { sum, one in
      let information = one.information(of: readings)
      var scratch = [Double](repeating: 0, count: information.count + one.size)
      return sum + one.value(information, &scratch)
    } / Double(cases.count)
  }

  /// The best readings found, kept ones included, in order of time; nil where so many cannot lie apart.
  ///
  /// - Parameters:
  ///   - count: How many are to be chosen.
  ///   - starts: How many starts are tried.
  ///   - jobs: How many threads work at it; the result does not depend on it.
  func best(
    _ count: Int, starts: Int, seed: UInt64, jobs: Int
  ) throws(SeriesFailure) -> [Int]? {
    guard let fallback = packed(count, from: allowed) else { return nil }
    let ends = try ParallelMap.map(Array(0..<max(1, starts)), jobs: jobs) {
    } _: { (_: Void, start) in
      var numbers = RandomStream(seed, UInt64(start))
      let places = numbers.shuffled(allowed)
      let end = exchanged(packed(count, from: places) ?? fallback)
      return (end, value(of: end))
    }
    return ends.max { $0.1 < $1.1 }?.0
  }

  /// The first candidates that can be taken one after the other; nil if there are too few.
  private func packed(_ count: Int, from places: [Int]) -> [Int]? {
    var chosen = kept
    for place in places where chosen.count < kept.count + count {
      if chosen.allSatisfy({ isApart($0, place) }) { chosen.append(place) }
    }
    return chosen.count == kept.count + count ? chosen.sorted() : nil
  }

  private func isApart(_ one: Int, _ other: Int) -> Bool {
    one != other && abs(minutes[one] - minutes[other]) >= apart - 1e-9
  }

  /// Exchanges readings until no exchange of one brings anything.
  private func exchanged(_ start: [Int]) -> [Int] {
    var (readings, current) = (start, value(of: start))
    var isImproved = true
    while isImproved {
      isImproved = false
      for reading in readings where !kept.contains(reading) {
        let rest = readings.filter { $0 != reading }
        guard let (candidate, value) = bestAddition(to: rest),
          value > current + Self.leastGain
        else { continue }
        readings = (rest + [candidate]).sorted()
        (current, isImproved) = (value, true)
      }
    }
    return readings
  }

  /// The candidate that tells most beside some readings, and what the criterion says then.
  private func bestAddition(to rest: [Int]) -> (candidate: Int, value: Double)? {
    let bases = cases.map { $0.information(of: rest) }
    var (sum, scratch) = (cases[0].nothing, [Double]())
    scratch = [Double](repeating: 0, count: sum.count + cases[0].size)
    var best: (candidate: Int, value: Double)?
    var place = 0
    for candidate in allowed {
      while place < rest.count, rest[place] < candidate { place += 1 }
      let previous = place > 0 ? rest[place - 1] : nil
      let next = place < rest.count ? rest[place] : nil
      guard previous.map({ isApart($0, candidate) }) ?? true,
        next.map({ isApart($0, candidate) }) ?? true
      else { continue }
      var total = 0.0
      for (one, base) in zip(cases, bases) {
        for index in sum.indices { sum[index] = base[index] }
        one.insert(candidate, between: previous, and: next, into: &sum)
        total += one.value(sum, &scratch)
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
