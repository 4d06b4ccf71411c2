import RealModule

/// The per-minute recurrence of Nacar (2021), kept bit for bit in its arithmetic.
///
/// A drink of D grams adds, n minutes after it, D (e^(-k (n-1) / 60) - e^(-k n / 60)) grams to the
/// blood, until the absorbed fraction reaches 1 in floating point. The increments of all drinks are
/// added up on a grid of minutes, and then minute by minute
///
///     c = max(0, (c V + increment) / V - beta / 60),   V = r W
///
/// For drinks taken at once on a whole minute, this is the exact curve at the whole minutes: the
/// two differ by rounding alone. What the grid costs is the time between its points, so that a time
/// to sobriety read off it is late by up to a minute.
///
/// Source: A. Nacar, *Aplikace pro sledovani alkoholu v krvi*, Brno University of Technology, 2021.
public struct ThesisEngine: Hashable, Sendable {
  /// A drink on the minute grid.
  public struct MinuteDrink: Hashable, Sendable {
    /// The minute at which it is taken, from 0.
    public let minute: Int
    /// The ethanol in it.
    public let ethanol: Grams

    /// Describes a drink.
    public init(minute: Int, ethanol: Grams) {
      self.minute = minute
      self.ethanol = ethanol
    }
  }

  /// Absorption rate constant; the thesis uses 18 /h.
  public let ka: PerHour
  /// Elimination rate; the thesis' program uses 0.15 g/kg/h.
  public let beta: GramsPerKilogramHour
  /// Distribution volume V = r W, in kg of blood-equivalent.
  private let distributionVolume: Kilograms

  /// Sets up the engine for one person.
  ///
  /// - Throws: ``Problem`` unless all are positive and finite.
  public init(
    ka: PerHour = 18, beta: GramsPerKilogramHour = 0.15, r: RFactor, weight: Kilograms
  ) throws(Problem) {
    self.ka = try ka.checked("k_a")
    self.beta = try beta.checked("beta")
    distributionVolume = try (weight * r.value).checked("r x weight")
  }

  /// Blood concentration at the minutes 0 ..< `minutes`, in g/kg.
  ///
  /// Drinks outside the grid are left out.
  public func concentrations(of drinks: [MinuteDrink], minutes: Int) -> [GramsPerKilogram] {
    let volume = distributionVolume.value
    var concentration = 0.0
    return absorbed(drinks, minutes: minutes).map { increment in
      concentration = max(0, (concentration * volume + increment) / volume - beta.value / 60)
      return GramsPerKilogram(concentration)
    }
  }

  /// Grams absorbed in each minute.
  private func absorbed(_ drinks: [MinuteDrink], minutes: Int) -> [Double] {
    var grid = [Double](repeating: 0, count: max(0, minutes))
    for drink in drinks where grid.indices.contains(drink.minute) {
      for minute in (drink.minute + 1)..<max(drink.minute + 1, grid.count) {
        let elapsed = Double(minute - drink.minute)
        let before = Double.exp(-ka.value * (elapsed - 1) / 60)
        let after = Double.exp(-ka.value * elapsed / 60)
        grid[minute] += drink.ethanol.value * (before - after)
        if 1 - after == 1 { break }
      }
    }
    return grid
  }
}
