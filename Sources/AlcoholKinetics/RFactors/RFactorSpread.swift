extension RFactorMethod {
  /// The coefficient of variation of people's r about the method; 0 for an r that is given.
  ///
  /// It is the standard deviation of observed over predicted r, divided by its mean, of 31 men and 19 women
  /// (data `scs-beta60`), which the water content of blood does not change. Published spreads, of the people
  /// whom a formula was made from, are smaller: 9 to 10 %.
  ///
  /// - Parameter sex: The subject's sex; nil for that of men.
  package func spread(for sex: Sex?) -> Double {
    if self is GivenRFactor { return 0 }
    let percent = measuredSpreads[name] ?? (men: 14, women: 14)
    return (sex == .female ? percent.women : percent.men) / 100
  }
}

/// By method, in percent.
private let measuredSpreads: [String: (men: Double, women: Double)] = [
  "widmark": (13.9, 12.2), "watson": (13.6, 13.3), "forrest": (13.0, 13.2), "seidl": (13.1, 14.0),
  "ulrich": (13.5, 13.5), "watson-without-height": (14.1, 12.9), "hume-weyers": (13.1, 14.7),
  "posey-mozayani": (13.1, 13.0),
]
