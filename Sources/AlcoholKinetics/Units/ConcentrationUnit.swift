/// What a reading was measured in: the matrix (blood, serum, breath) and the unit together.
///
/// The raw value is the column name of a study's `readings.csv`.
public enum ConcentrationUnit: String, CaseIterable, Codable, Hashable, Sendable {
  /// Whole blood, g/kg (per mille by mass): the unit of the model.
  case bloodGramsPerKilogram = "bac_g_per_kg"
  /// Whole blood, g/L.
  case bloodGramsPerLitre = "bac_g_per_l"
  /// Whole blood, mg per 100 ml.
  case bloodMilligramsPer100Millilitres = "bac_mg_per_100ml"
  /// Whole blood, g per 100 ml.
  case bloodGramsPer100Millilitres = "bac_g_per_100ml"
  /// Serum or plasma, g/L.
  case serumGramsPerLitre = "serum_g_per_l"
  /// Serum or plasma, mg per 100 ml.
  case serumMilligramsPer100Millilitres = "serum_mg_per_100ml"
  /// Serum or plasma, g per 100 ml.
  case serumGramsPer100Millilitres = "serum_g_per_100ml"
  /// End-expired breath, mg/L.
  case breathMilligramsPerLitre = "brac_mg_per_l"
  /// End-expired breath, ug per 100 ml.
  case breathMicrogramsPer100Millilitres = "brac_ug_per_100ml"
  /// End-expired breath, g per 210 L.
  case breathGramsPer210Litres = "brac_g_per_210l"

  /// What a sample is of; serum stands for plasma, too.
  package enum Matrix: String, Hashable, Sendable { case blood, serum, breath }

  /// What the sample is of.
  package var matrix: Matrix {
    switch self {
    case .bloodGramsPerKilogram, .bloodGramsPerLitre, .bloodMilligramsPer100Millilitres,
      .bloodGramsPer100Millilitres:
      .blood
    case .serumGramsPerLitre, .serumMilligramsPer100Millilitres, .serumGramsPer100Millilitres:
      .serum
    case .breathMilligramsPerLitre, .breathMicrogramsPer100Millilitres, .breathGramsPer210Litres:
      .breath
    }
  }

  /// How the unit is printed; what the sample is of stands beside it.
  package var symbol: String {
    switch self {
    case .bloodGramsPerKilogram: "g/kg"
    case .bloodGramsPerLitre, .serumGramsPerLitre: "g/L"
    case .bloodMilligramsPer100Millilitres, .serumMilligramsPer100Millilitres: "mg/100 ml"
    case .bloodGramsPer100Millilitres, .serumGramsPer100Millilitres: "g/100 ml"
    case .breathMilligramsPerLitre: "mg/L"
    case .breathMicrogramsPer100Millilitres: "ug/100 ml"
    case .breathGramsPer210Litres: "g/210 L"
    }
  }

  /// Whether it is a concentration in breath, which the blood:breath ratio converts.
  package var isBreath: Bool { matrix == .breath }

  /// The blood concentration in g/kg that one unit stands for.
  public func gramsPerKilogram(using factors: ConversionFactors) -> Double {
    let gramsPerLitreOfBlood = 1 / factors.bloodDensityKgPerL
    switch self {
    case .bloodGramsPerKilogram:
      return 1
    case .bloodGramsPerLitre:
      return gramsPerLitreOfBlood
    case .bloodMilligramsPer100Millilitres:
      return gramsPerLitreOfBlood / 100
    case .bloodGramsPer100Millilitres:
      return gramsPerLitreOfBlood * 10
    case .serumGramsPerLitre:
      return gramsPerLitreOfBlood / factors.serumBloodRatio
    case .serumMilligramsPer100Millilitres:
      return gramsPerLitreOfBlood / 100 / factors.serumBloodRatio
    case .serumGramsPer100Millilitres:
      return gramsPerLitreOfBlood * 10 / factors.serumBloodRatio
    case .breathMilligramsPerLitre:
      return gramsPerLitreOfBlood * factors.bloodBreathRatio / 1000
    case .breathMicrogramsPer100Millilitres:
      return gramsPerLitreOfBlood * factors.bloodBreathRatio / 100_000
    case .breathGramsPer210Litres:
      return gramsPerLitreOfBlood * factors.bloodBreathRatio / 210
    }
  }

  /// Converts a measured value to whole blood.
  ///
  /// - Parameters:
  ///   - value: The reading, in this unit.
  ///   - factors: The conversion factors to use.
  public func bloodConcentration(
    of value: Double, using factors: ConversionFactors
  ) -> GramsPerKilogram {
    GramsPerKilogram(value * gramsPerKilogram(using: factors))
  }

  /// Converts a blood concentration to the value this unit would show.
  public func value(
    of concentration: GramsPerKilogram, using factors: ConversionFactors
  ) -> Double {
    concentration.value / gramsPerKilogram(using: factors)
  }
}

/// The factors that turn a measured concentration into g of ethanol per kg of whole blood.
///
/// Each is a convention, not a constant of nature, and differs between laboratories and countries;
/// results carry the factors they were made with.
public struct ConversionFactors: Codable, Hashable, Sendable {
  /// Density of whole blood in kg/L. Default 1.055.
  public var bloodDensityKgPerL: Double

  /// Ethanol in blood over ethanol in end-expired breath, volume by volume. Default 2100; 2000
  /// and 2300 are in use.
  public var bloodBreathRatio: Double

  /// Ethanol in serum or plasma over ethanol in whole blood, volume by volume. Default 1.16; the
  /// literature gives 1.12 to 1.24.
  public var serumBloodRatio: Double

  /// The blood:breath ratio of volunteers, who are not those for whom 2100 was agreed.
  package static let volunteersBreathRatio = (mean: 2349.0, sd: 176.0)

  /// Makes a set of factors; each defaults to the value documented at its property.
  public init(
    bloodDensityKgPerL: Double = 1.055,
    bloodBreathRatio: Double = 2100,
    serumBloodRatio: Double = 1.16
  ) {
    self.bloodDensityKgPerL = bloodDensityKgPerL
    self.bloodBreathRatio = bloodBreathRatio
    self.serumBloodRatio = serumBloodRatio
  }
}
