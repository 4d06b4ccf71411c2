import AlcoholKinetics

/// A unit of concentration whose name stays in memory, so that a million rows can refer to it.
struct StaticUnit: Hashable {
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

  /// The name as C has it.
  var characters: UnsafePointer<CChar> {
    UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
