/// How fast a work was.
public struct BenchmarkResult: Hashable, Sendable {
  /// The work's name.
  public let name: String
  /// What was counted.
  public let unit: String
  /// Units a second, the median over the rounds.
  public let rate: Double
  /// What it was compared with, if anything.
  public let reference: String?
  /// The same of the reference.
  public let referenceRate: Double?
  /// The median over the rounds of rate by rate of the reference.
  public let ratio: Double?
  /// What was to be reached.
  public let target: BenchmarkTarget?

  /// Puts a result together.
  public init(
    name: String, unit: String, rate: Double, reference: String? = nil,
    referenceRate: Double? = nil, ratio: Double? = nil, target: BenchmarkTarget? = nil
  ) {
    self.name = name
    self.unit = unit
    self.rate = rate
    self.reference = reference
    self.referenceRate = referenceRate
    self.ratio = ratio
    self.target = target
  }

  /// Whether the target was reached; nil if there is none.
  public var isTargetMet: Bool? {
    switch target {
    case .ratio(let wanted): ratio.map { $0 >= wanted } ?? false
    case .rate(let wanted): rate >= wanted
    case nil: nil
    }
  }
}
