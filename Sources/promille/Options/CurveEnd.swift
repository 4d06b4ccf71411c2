import ArgumentParser

/// Where a simulated curve ends.
enum CurveEnd: ExpressibleByArgument {
  case sober
  case after(minutes: Double)

  init?(argument: String) {
    if argument == "sober" {
      self = .sober
    } else if let minutes = Double(argument), minutes >= 0, minutes <= 1e6 {
      self = .after(minutes: minutes)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String { "sober" }

  /// Nil where it ends with sobriety.
  var minutes: Double? {
    guard case .after(let minutes) = self else { return nil }
    return minutes
  }
}
