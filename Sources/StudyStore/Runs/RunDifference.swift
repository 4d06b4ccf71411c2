/// A number that is not the same in two runs.
public struct RunDifference: Codable, Hashable, Sendable {
  public var subject: String
  public var occasion: String?
  public var method: String?
  /// Which number: a parameter or a metric, or `status`.
  public var quantity: String
  public var first: String?
  public var second: String?
  /// The second minus the first, if both are numbers.
  public var difference: Double?

  /// The values that differ between two runs by more than a fraction of the larger, or are in one run only.
  ///
  /// - Parameters:
  ///   - first: The run to compare with.
  ///   - second: The run to compare.
  ///   - tolerance: The largest difference that does not count, relative to the larger number.
  public static func differences(
    from first: StoredRun, to second: StoredRun, tolerance: Double
  ) -> [RunDifference] {
    let old = Dictionary(
      first.results.map { (Key($0), $0) }, uniquingKeysWith: { earlier, _ in earlier })
    let new = Set(second.results.map(Key.init))
    let changed = second.results.flatMap { result in
      differences(from: old[Key(result)], to: result, tolerance)
    }
    let gone = first.results.filter { !new.contains(Key($0)) }
      .flatMap { differences(from: $0, to: nil, tolerance) }
    return changed + gone
  }

  private struct Key: Hashable {
    var subject: String
    var occasion: String?
    var method: String?

    init(_ result: StoredResult) {
      subject = result.subject
      occasion = result.occasion
      method = result.method
    }
  }

  private static func differences(
    from old: StoredResult?, to new: StoredResult?, _ tolerance: Double
  ) -> [RunDifference] {
    guard let some = new ?? old else { return [] }
    typealias Change = (quantity: String, first: String?, second: String?, difference: Double?)
    let statuses: [Change] =
      old?.status == new?.status ? [] : [("status", old?.status, new?.status, nil)]
    let (before, after) = (old?.numbers ?? [], new?.numbers ?? [])
    let lookup = Dictionary(before, uniquingKeysWith: { earlier, _ in earlier })
    let names = Set(after.map(\.0))
    var numbers: [(name: String, old: Double?, new: Double?)] = after.map {
      ($0.0, lookup[$0.0], $0.1)
    }
    numbers += before.filter { !names.contains($0.0) }.map { ($0.0, $0.1, nil) }
    let differing = numbers.filter { !isClose($0.old, $0.new, tolerance) }.map { number in
      Change(
        number.name, number.old?.description, number.new?.description,
        number.old.flatMap { old in number.new.map { $0 - old } })
    }
    return (statuses + differing).map { change in
      RunDifference(
        subject: some.subject, occasion: some.occasion, method: some.method,
        quantity: change.quantity, first: change.first, second: change.second,
        difference: change.difference)
    }
  }

  private static func isClose(_ first: Double?, _ second: Double?, _ tolerance: Double) -> Bool {
    guard let first, let second else { return false }
    return first == second || abs(first - second) <= tolerance * max(abs(first), abs(second))
  }
}

extension StoredResult {
  fileprivate var numbers: [(String, Double)] {
    fits.flatMap { fit in
      [
        (fit.parameter, fit.value), ("\(fit.parameter)_low", fit.low),
        ("\(fit.parameter)_high", fit.high),
      ].compactMap { name, value in value.map { (name, $0) } }
    } + metrics.map { ($0.name, $0.value) }
  }
}
