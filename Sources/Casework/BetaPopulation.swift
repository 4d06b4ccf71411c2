import AlcoholKinetics

/// From which people the elimination rate of somebody unmeasured is taken.
///
/// Drinking drivers eliminate faster than volunteers in a laboratory, and dependent drinkers faster than both. A
/// back calculation with the drivers' rate gives too much for somebody who drinks little.
public enum BetaPopulation: String, CaseIterable, Codable, Hashable, Sendable {
  /// Drivers who were suspected of drinking, from two blood samples an hour apart.
  case drivers
  /// Moderate drinkers, measured in a laboratory.
  case volunteers
  /// Dependent drinkers, during detoxification.
  case dependent
  /// Nothing is known: as likely a driver as a volunteer.
  case unknown

  /// The mean and the standard deviation in g/L/h; nil where they differ between men and women and the sex is
  /// not known.
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
      guard let one = Self.drivers.rate(of: sex), let other = Self.volunteers.rate(of: sex) else {
        return nil
      }
      // The moments of one half of each.
      let distance = (one.mean - other.mean) / 2
      let variance = (one.sd * one.sd + other.sd * other.sd) / 2 + distance * distance
      return ((one.mean + other.mean) / 2, variance.squareRoot())
    case (.drivers, nil): return nil
    }
  }

  /// Who these people are, and where ``rate(of:)`` comes from, around the numbers.
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

/// How often a range or interval held what was measured on people, going back from a later reading to an earlier one.
///
/// The pairs of readings are 1 to 4 h apart, both at least 2 h after the end of drinking and at 0.2 g/kg or
/// more. Nothing in the ranges was chosen by these people (`Tests/Tools/case_coverage.py`).
package struct MeasuredCoverage: Hashable, Sendable {
  package static let pairs = 59
  package static let people = 8
  /// The studies these are from.
  package static let studies = 3
  /// Where the readings are from; `Tests/Tools/case_coverage.py` counts them.
  package static let source =
    "Wilkinson et al. 1977, Thierauf-Emberger et al. 2023 and hip-flask scenarios"
  /// Truths below the range: it was too high.
  package let below: Int
  package let above: Int

  package var held: Int { Self.pairs - below - above }
}

extension CaseAnswer {
  /// How often ranges such as this one held the truth on measured people; nil where that was not measured: for
  /// other questions than back, longer or shorter ways back, another level than 95 %, earlier or lower readings, or
  /// a beta of the case's own.
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
