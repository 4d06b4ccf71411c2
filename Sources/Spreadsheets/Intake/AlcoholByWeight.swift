import AlcoholKinetics

/// The strength by volume of a drink of which that by weight is known.
///
/// Source: densities of ethanol and water at 20 °C in g/ml, CRC Handbook of Chemistry and Physics. What else a drink has makes it
/// heavier, by up to 2 % for beer.
enum AlcoholByWeight {
  private static let densities: [(percent: Double, density: Double)] = [
    (0, 0.9982), (5, 0.9894), (10, 0.9819), (15, 0.9751), (20, 0.9686), (25, 0.9617), (30, 0.9538),
    (35, 0.9449), (40, 0.9352), (45, 0.9247), (50, 0.9138), (60, 0.8911), (70, 0.8676),
    (80, 0.8434),
    (90, 0.8180), (100, 0.7893),
  ]

  static func volumePercent(of percent: Double) -> Double {
    guard let above = densities.firstIndex(where: { $0.percent >= percent }), above > 0 else {
      return percent <= 0 ? percent : 100
    }
    let (low, high) = (densities[above - 1], densities[above])
    let part = (percent - low.percent) / (high.percent - low.percent)
    let density = low.density + part * (high.density - low.density)
    return min(100, percent * density / EthanolDose.densityGramsPerMillilitre)
  }
}
