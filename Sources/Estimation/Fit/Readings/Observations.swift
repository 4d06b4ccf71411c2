package import AlcoholKinetics
package import StudyData

/// The readings that are fitted, as the solver wants them.
package struct Observations: Hashable, Sendable {
  /// One reading that is fitted.
  package struct Observation: Hashable, Sendable {
    /// Where it stands among the readings of its series.
    package let index: Int
    /// When, in h.
    package let time: Double
    /// The same since the first drink; see ``SettledNumber``.
    package let elapsed: Double
    /// What was measured, or the limit of detection if it is censored, in g/kg.
    package let level: Double
    /// Whether it was below that limit.
    package let isCensored: Bool
    /// The limit of detection in g/kg; nil if it is not known.
    package let limit: Double?
  }

  /// In order of time.
  package let all: [Observation]

  /// - Parameter isForFit: Whether levels are settled (``SettledNumber``), as fits are told them.
  package init(
    _ series: borrowing Series, uses: [ReadingUse], _ selection: ReadingSelection,
    _ instrument: Instrument?, _ factors: ConversionFactors, isForFit: Bool = false
  ) {
    func settled(_ level: Double) -> Double { isForFit ? SettledNumber.level(level) : level }
    var all: [Observation] = []
    all.reserveCapacity(uses.count)
    let readings = series.readings
    let beginning = series.start
    for (index, use) in uses.enumerated() where use.isUsed {
      let reading = readings[index]
      let limit = selection.limitOfDetection(of: reading, instrument).map {
        settled(reading.unit.bloodConcentration(of: $0, using: factors).value)
      }
      let shown = settled(reading.bloodConcentration(using: factors).value)
      all.append(
        Observation(
          index: index,
          time: reading.time.value,
          elapsed: SettledNumber.elapsed(reading.time, since: beginning),
          level: use == .censored ? limit ?? 0 : shown,
          isCensored: use == .censored,
          limit: limit))
    }
    self.all = all
  }

  private init(_ all: [Observation]) {
    self.all = all
  }

  /// The same observations with other concentrations; those below their limit are censored, if any
  /// were before.
  func replicate(_ concentrations: [Double]) -> Observations {
    let isCensoring = hasCensored
    return Observations(
      zip(all, concentrations).map { observation, concentration in
        let limit = observation.limit ?? -.infinity
        let isCensored = isCensoring && concentration < limit
        return Observation(
          index: observation.index, time: observation.time, elapsed: observation.elapsed,
          level: isCensored ? limit : concentration, isCensored: isCensored,
          limit: observation.limit)
      })
  }

  /// Some of them, in the same order.
  func only(_ indices: [Int]) -> Observations { Observations(indices.map { all[$0] }) }

  var count: Int { all.count }

  /// Number of readings that are not censored.
  var quantifiedCount: Int { all.count { !$0.isCensored } }

  var hasCensored: Bool { all.contains(where: \.isCensored) }

  /// The largest concentration that was measured, in g/kg.
  var largest: Double { all.lazy.filter { !$0.isCensored }.map(\.level).max() ?? 0 }

  /// How many concentrations are above a limit.
  package func count(above limit: GramsPerKilogram) -> Int {
    all.count { !$0.isCensored && $0.level > limit.value }
  }
}
