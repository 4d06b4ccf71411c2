import AlcoholKinetics

/// The population from which the elimination rate of a person without own readings is taken.
///
/// Drinking drivers eliminate faster than laboratory volunteers, and dependent drinkers faster than both. A back
/// calculation with the drivers' rate overestimates the concentration of a moderate drinker.
public enum BetaPopulation: String, CaseIterable, Codable, Hashable, Sendable {
  /// Drivers who were suspected of drinking, from two blood samples an hour apart.
  case drivers
  /// Moderate drinkers, measured in a laboratory.
  case volunteers
  /// Dependent drinkers, during detoxification.
  case dependent
  /// Unknown: equally likely a driver or a volunteer.
  case unknown

  /// The mean and the standard deviation in g/L/h; nil if they depend on the sex and that is unknown.
  ///
  /// Sources: A. W. Jones, L. Andersson, J Forensic Sci 41 (1996) 922-926; C. L. Winek, K. L. Murphy, Forensic Sci
  /// Int 25 (1984) 159-166. The review of A. W. Jones, Forensic Sci Int 200 (2010) 1-20, has 0.10 to 0.15 g/L/h for
  /// moderate drinkers after fasting, 0.15 to 0.20 after a meal, 0.25 to 0.35 during detoxification.
  func rate(of sex: Sex?) -> (mean: Double, sd: Double)? {
    switch (self, sex) {
    case (.drivers, .male?): return (0.189, 0.048)
    case (.drivers, .female?): return (0.214, 0.053)
    case (.volunteers, _): return (0.15, 0.04)
    case (.dependent, _): return (0.30, 0.09)
    case (.unknown, _):
      guard let drivers = Self.drivers.rate(of: sex),
        let volunteers = Self.volunteers.rate(of: sex)
      else { return nil }
      // The moments of an equal mixture of both.
      let distance = (drivers.mean - volunteers.mean) / 2
      let variance =
        (drivers.sd * drivers.sd + volunteers.sd * volunteers.sd) / 2 + distance * distance
      return ((drivers.mean + volunteers.mean) / 2, variance.squareRoot())
    case (.drivers, nil): return nil
    }
  }

  /// The population in words, and the source of ``rate(of:)``, for messages.
  var words: (people: String, source: String) {
    switch self {
    case .drivers: ("drinking drivers", "Jones and Andersson 1996, n = 1090")
    case .volunteers: ("social drinkers", "Winek and Murphy 1984; Jones 2010: 0.1 to 0.2")
    case .dependent: ("dependent drinkers", "Winek and Murphy 1984; Jones 2010: 0.25 to 0.35")
    case .unknown:
      (
        "half drinking drivers, half social drinkers",
        "Jones and Andersson 1996; Winek and Murphy 1984"
      )
    }
  }
}

/// The coverage of ranges or intervals of back calculations, measured on pairs of readings.
///
/// The readings of a pair are 1 to 4 h apart, both at least 2 h after the end of drinking and at 0.2 g/kg or more. The
/// ranges were not fitted to these people (`Tests/Tools/case_coverage.py`).
package struct MeasuredCoverage: Hashable, Sendable {
  package static let pairs = 59
  package static let people = 8
  /// The number of studies.
  package static let studies = 3
  /// The sources of the readings; `Tests/Tools/case_coverage.py` counts them.
  package static let source =
    "Wilkinson et al. 1977, Thierauf-Emberger et al. 2023 and hip-flask scenarios"
  /// The number of measured values below the range, which was too high.
  package let below: Int
  package let above: Int

  package var held: Int { Self.pairs - below - above }
}

extension CaseAnswer {
  /// The measured coverage of ranges such as this one; nil where there is no measurement.
  ///
  /// It was measured only for the question back, over 1 to 4 h, at the level of 95 %, for readings after absorption and
  /// above 0.2 g/kg, and without a beta of the case's own.
  package var measuredCoverage: MeasuredCoverage? {
    let assumptions = one.assumptions
    guard one.question == .back, let at = one.at, let measured = one.measurement?.time,
      0.75...4.25 ~= (measured - at).value, assumptions.beta == nil, assumptions.posterior == nil,
      assumptions.guideline == nil,
      assumptions.absorbedAfter >= 2, assumptions.lowest >= 0.2,
      options.mode == .guideline || options.level == 0.95
    else { return nil }
    switch (assumptions.betaPopulation, options.mode) {
    case (.unknown, .guideline): return MeasuredCoverage(below: 5, above: 1)
    case (.unknown, .monteCarlo): return MeasuredCoverage(below: 2, above: 1)
    case (.drivers, .guideline): return MeasuredCoverage(below: 5, above: 0)
    case (.drivers, .monteCarlo): return MeasuredCoverage(below: 5, above: 0)
    case (.volunteers, .guideline): return MeasuredCoverage(below: 1, above: 3)
    case (.volunteers, .monteCarlo): return MeasuredCoverage(below: 2, above: 3)
    // None of them was measured.
    case (.dependent, _): return nil
    }
  }
}
