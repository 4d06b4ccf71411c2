package import AlcoholKinetics
package import StudyData

/// The fitted readings of a series, in the form that solvers use.
package struct Observations: Hashable, Sendable {
  /// One reading that is fitted.
  package struct Observation: Hashable, Sendable {
    /// The index among the readings of its series.
    package let index: Int
    /// The time, in h, on the clock of the series.
    package let time: Double
    /// The time since the first drink, in h (``RoundedInput``).
    package let elapsed: Double
    /// The measured concentration, or the limit of detection if it is censored, in g/kg.
    package let level: Double
    /// True if it was below its limit of detection.
    package let isCensored: Bool
    /// The limit of detection in g/kg; nil if it is not known.
    package let limit: Double?
  }

  /// The observations, in order of time.
  package let all: [Observation]

  /// Extracts the used readings of a series.
  ///
  /// - Parameter isForFit: True to round levels as fits do (``RoundedInput``).
  package init(
    _ series: borrowing Series, uses: [ReadingUse], _ selection: ReadingSelection,
    _ instrument: Instrument?, _ factors: ConversionFactors, isForFit: Bool = false
  ) {
    func rounded(_ level: Double) -> Double { isForFit ? RoundedInput.level(level) : level }
    var all: [Observation] = []
    all.reserveCapacity(uses.count)
    let readings = series.readings
    let beginning = series.start
    for (index, use) in uses.enumerated() where use.isUsed {
      let reading = readings[index]
      let limit = selection.limitOfDetection(of: reading, instrument).map {
        rounded(reading.unit.bloodConcentration(of: $0, using: factors).value)
      }
      let measured = rounded(reading.bloodConcentration(using: factors).value)
      all.append(
        Observation(
          index: index,
          time: reading.time.value,
          elapsed: RoundedInput.elapsed(reading.time, since: beginning),
          level: use == .censored ? limit ?? 0 : measured,
          isCensored: use == .censored,
          limit: limit))
    }
    self.all = all
  }

  private init(_ all: [Observation]) {
    self.all = all
  }

  /// Returns the observations with other concentrations; those below their limit are censored if any of the original ones
  /// is.
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

  /// Returns the observations with some indices, in the same order.
  func only(_ indices: [Int]) -> Observations { Observations(indices.map { all[$0] }) }

  var count: Int { all.count }

  /// The number of readings that are not censored.
  var quantifiedCount: Int { all.count { !$0.isCensored } }

  var hasCensored: Bool { all.contains(where: \.isCensored) }

  /// The largest measured concentration, in g/kg.
  var largest: Double { all.lazy.filter { !$0.isCensored }.map(\.level).max() ?? 0 }

  /// Returns the number of concentrations above a limit.
  package func count(above limit: GramsPerKilogram) -> Int {
    all.count { !$0.isCensored && $0.level > limit.value }
  }
}
