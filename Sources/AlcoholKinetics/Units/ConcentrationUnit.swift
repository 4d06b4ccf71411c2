/// The sample (blood, serum, breath) and unit of a reading.
///
/// The units are the rows of `units.tsv`, which is part of the program. The raw value is the column name of a study's
/// `readings.csv`.
public struct ConcentrationUnit: RawRepresentable, CaseIterable, Codable, Hashable, Sendable {
  private let row: UInt8

  /// Every unit that a study can keep readings in.
  public static let allCases = Row.ofStudies.indices.map { Self(row: UInt8($0)) }

  public var rawValue: String { Row.inOrder[Int(row)].name }

  public init?(rawValue: String) {
    guard let row = Row.numbers[rawValue] else { return nil }
    self.row = row
  }

  private init(row: UInt8) { self.row = row }

  /// Looks up a unit of the table.
  private init(_ name: String) { row = Row.numbers[name] ?? 0 }

  /// Every unit of the table, those of studies first.
  package static let all = Row.inOrder.indices.map { Self(row: UInt8($0)) }

  /// Finds any unit of the table by its name, also one that studies convert to another, such as mmol/L.
  package init?(named name: String) {
    guard let index = Row.inOrder.firstIndex(where: { $0.name == name }) else { return nil }
    row = UInt8(index)
  }

  /// The unit that a study keeps its readings in: itself, or that of the same matrix into which it is converted.
  package var keptIn: Self { Self(line.keptIn) }

  /// The factor to the unit ``keptIn``.
  package var factorToKept: Double { line.scale }

  /// Whole blood, g/kg (per mille by mass): the unit of the model.
  public static let bloodGramsPerKilogram = Self("bac_g_per_kg")
  /// Whole blood, g/L.
  public static let bloodGramsPerLitre = Self("bac_g_per_l")
  /// Whole blood, mg per 100 ml.
  public static let bloodMilligramsPer100Millilitres = Self("bac_mg_per_100ml")
  /// Whole blood, g per 100 ml.
  public static let bloodGramsPer100Millilitres = Self("bac_g_per_100ml")
  /// Serum or plasma, g/L.
  public static let serumGramsPerLitre = Self("serum_g_per_l")
  /// Serum or plasma, mg per 100 ml.
  public static let serumMilligramsPer100Millilitres = Self("serum_mg_per_100ml")
  /// Serum or plasma, g per 100 ml.
  public static let serumGramsPer100Millilitres = Self("serum_g_per_100ml")
  /// End-expired breath, mg/L.
  public static let breathMilligramsPerLitre = Self("brac_mg_per_l")
  /// End-expired breath, ug per 100 ml.
  public static let breathMicrogramsPer100Millilitres = Self("brac_ug_per_100ml")
  /// End-expired breath, g per 210 L.
  public static let breathGramsPer210Litres = Self("brac_g_per_210l")

  /// The sample matrix; serum includes plasma.
  package enum Matrix: String, Hashable, Sendable { case blood, serum, breath }

  /// A row of the table: a unit of studies, or one of spreadsheets that studies convert.
  package struct Row: Sendable {
    package let name: String
    package let matrix: Matrix
    /// One unit is ``grams`` of ethanol in ``amount`` litres, or kg if ``isByMass``.
    package let grams: Double
    package let amount: Double
    package let isByMass: Bool
    package let symbol: String
    /// The unit of studies into which it is converted: itself, or another of the same matrix.
    package let keptIn: String
    package let number: UInt64
    package let highest: Double
    /// The region where spreadsheets use it; empty if it is not specific to one.
    package let region: String
    /// Its names in spreadsheets, and whether each implies the matrix.
    package let words: [(text: String, saysMatrix: Bool)]

    fileprivate init?(_ line: Substring) {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 10, let matrix = Matrix(rawValue: fields[1]) else { return nil }
      let amount = fields[3].split(separator: " ").map(String.init)
      name = fields[0]
      self.matrix = matrix
      grams = Double(fields[2]) ?? .nan
      self.amount = Double(amount[0]) ?? .nan
      isByMass = amount.last == "kg"
      symbol = fields[4]
      keptIn = fields[5].isEmpty ? fields[0] : fields[5]
      number = UInt64(fields[6]) ?? 0
      highest = Double(fields[7]) ?? .infinity
      region = fields[8]
      words = fields[9].split(separator: "|").map { word in
        (String(word.hasSuffix("*") ? word.dropLast() : word), word.hasSuffix("*"))
      }
    }

    /// The factor to the unit ``keptIn``.
    package var scale: Double {
      guard let kept = Self.ofStudies.first(where: { $0.name == keptIn }) else { return .nan }
      return (grams * kept.amount) / (amount * kept.grams)
    }

    /// All rows of the table.
    package static let all = String(decoding: PackageResources.units_tsv, as: UTF8.self)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap(Row.init)

    fileprivate static let ofStudies = all.filter { $0.keptIn == $0.name }

    /// The units of studies first, whose places are their numbers.
    fileprivate static let inOrder = ofStudies + all.filter { $0.keptIn != $0.name }

    fileprivate static let numbers = Dictionary(
      uniqueKeysWithValues: ofStudies.enumerated().map { ($1.name, UInt8($0)) })
  }

  private var line: Row { Row.inOrder[Int(row)] }

  /// The numbers for conversions, apart from the rows, whose texts would be copied for each reading.
  private static let sizes = Row.inOrder.map { ($0.matrix, $0.grams, $0.amount, $0.isByMass) }

  /// The matrix of the sample.
  package var matrix: Matrix { Self.sizes[Int(row)].0 }

  /// The printed unit, without the matrix.
  package var symbol: String { line.symbol }

  /// Other words for it, behind its sample.
  package var otherWords: [String] { line.words.map(\.text) }

  /// The unit with the matrix, as `g/L serum`.
  @_spi(StudyDay) public var label: String { "\(symbol) \(matrix.rawValue)" }

  /// The highest plausible value, about 5 g/kg of blood; entry of a higher one must be confirmed.
  @_spi(StudyDay) public var highestPlausible: Double { line.highest }

  /// The number of the unit in UUIDs; never reused, and not 0, which is that of drinks.
  package var number: UInt64 { line.number }

  /// Whether it is a concentration in breath, which the blood:breath ratio converts.
  package var isBreath: Bool { matrix == .breath }

  /// The blood concentration in g/kg that one unit stands for.
  public func gramsPerKilogram(using factors: ConversionFactors) -> Double {
    let (matrix, grams, amount, isByMass) = Self.sizes[Int(row)]
    guard !isByMass else { return grams / amount }
    let gramsPerLitreOfBlood = 1 / factors.bloodDensityKgPerL
    return switch matrix {
    case .blood: gramsPerLitreOfBlood * grams / amount
    case .serum: gramsPerLitreOfBlood * grams / amount / factors.serumBloodRatio
    case .breath: gramsPerLitreOfBlood * factors.bloodBreathRatio * grams / amount
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

  /// The blood:breath ratio measured on volunteers, for comparison with the conventional 2100.
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
