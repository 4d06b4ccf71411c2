import AlcoholKinetics

/// A unit of concentration whose name stays in memory, so that a million rows can refer to it.
struct StaticUnit {
  let unit: ConcentrationUnit

  var name: StaticString {
    switch unit {
    case .bloodGramsPerKilogram: "bac_g_per_kg"
    case .bloodGramsPerLitre: "bac_g_per_l"
    case .bloodMilligramsPer100Millilitres: "bac_mg_per_100ml"
    case .bloodGramsPer100Millilitres: "bac_g_per_100ml"
    case .serumGramsPerLitre: "serum_g_per_l"
    case .breathMilligramsPerLitre: "brac_mg_per_l"
    case .breathMicrogramsPer100Millilitres: "brac_ug_per_100ml"
    case .breathGramsPer210Litres: "brac_g_per_210l"
    }
  }

  /// What stands for the unit in UUIDs; never reused, and not 0, which stands for drinks.
  var number: UInt64 {
    switch unit {
    case .bloodGramsPerKilogram: 1
    case .bloodGramsPerLitre: 2
    case .bloodMilligramsPer100Millilitres: 3
    case .bloodGramsPer100Millilitres: 4
    case .serumGramsPerLitre: 5
    case .breathMilligramsPerLitre: 6
    case .breathMicrogramsPer100Millilitres: 7
    case .breathGramsPer210Litres: 8
    }
  }
}
