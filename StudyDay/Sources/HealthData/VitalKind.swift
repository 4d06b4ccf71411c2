public import DayDatabase
@_spi(StudyDay) public import StudyStore

/// The kinds of vital signs that a database has room for, named as Apple Health names them.
public enum VitalKind: String, CaseIterable, Hashable, Sendable {
  case heartRate = "HeartRate"
  case bodyTemperature = "BodyTemperature"
  case bloodGlucose = "BloodGlucose"
  case respiratoryRate = "RespiratoryRate"
  case dietaryWater = "DietaryWater"
  case stepCount = "StepCount"
  case distanceWalkingRunning = "DistanceWalkingRunning"
  case distanceCycling = "DistanceCycling"
  case distanceSwimming = "DistanceSwimming"
  case activeEnergyBurned = "ActiveEnergyBurned"
  case basalEnergyBurned = "BasalEnergyBurned"
  case bloodPressureSystolic = "BloodPressureSystolic"
  case bloodPressureDiastolic = "BloodPressureDiastolic"
  case oxygenSaturation = "OxygenSaturation"
  case bodyMass = "BodyMass"
  case height = "Height"
}

extension VitalKind {
  /// The unit that values are kept in.
  public var unit: String { units.kept }

  /// The unit that values are kept in, and how much of it one of other units is.
  private var units: (kept: String, others: [String: Double]) {
    switch self {
    case .heartRate, .respiratoryRate: ("count/min", Self.rates)
    case .bodyTemperature: ("degC", [:])
    case .bloodGlucose: ("mmol/L", Self.glucose)
    case .dietaryWater: ("mL", Self.volumes)
    case .stepCount: ("count", [:])
    case .distanceWalkingRunning, .distanceCycling, .distanceSwimming: ("km", Self.kilometres)
    case .activeEnergyBurned, .basalEnergyBurned: ("kcal", Self.energies)
    case .bloodPressureSystolic, .bloodPressureDiastolic: ("mmHg", [:])
    case .oxygenSaturation: ("%", [:])
    case .bodyMass: ("kg", Self.masses)
    case .height: ("cm", Self.centimetres)
    }
  }

  /// Converts a value to ``unit``; nil if the unit is not one of this kind.
  package func value(_ value: Double, in given: String) -> Double? {
    if self == .bodyTemperature, given == "degF" { return (value - 32) / 1.8 }
    // Apple writes 0.97 %.
    if self == .oxygenSaturation, given == "%", value <= 1 { return value * 100 }
    let (kept, others) = units
    return given == kept ? value : others[given].map { value * $0 }
  }

  /// Converts a value to the unit of its kind; nil if kind or unit is not known.
  @Sendable
  package static func converted(
    _ kind: String, _ value: Double, _ unit: String?
  ) -> (value: Double, unit: String)? {
    guard let kind = VitalKind(rawValue: kind),
      let value = kind.value(value, in: unit ?? kind.unit)
    else { return nil }
    return (value, kind.unit)
  }

  private static let rates = ["count/s": 60.0]

  /// Factors to mmol/L; glucose has 180.156 g/mol. Apple writes the molar mass into the unit.
  private static let glucose = [
    "mmol<180.1558800000541>/L": 1, "mg/dL": 10 / 180.156, "mg/L": 1 / 180.156,
    "g/L": 1000 / 180.156,
  ]

  /// Factors to mL; US measures where several exist.
  private static let volumes = [
    "mL": 1, "L": 1000, "cL": 10, "dL": 100, "fl_oz_us": 29.573_529_562_5,
    "fl_oz_imp": 28.413_062_5, "cup_us": 236.588_236_5, "cup_imp": 284.130_625,
    "pt_us": 473.176_473, "pt_imp": 568.261_25,
  ]

  /// Factors to m.
  private static let lengths = [
    "m": 1, "cm": 0.01, "mm": 0.001, "km": 1000, "in": 0.0254, "ft": 0.3048, "yd": 0.9144,
    "mi": 1609.344,
  ]
  private static let kilometres = lengths.mapValues { $0 / 1000 }
  private static let centimetres = lengths.mapValues { $0 * 100 }

  /// Factors to kcal; Apple's Cal is a kcal, its cal is not.
  private static let energies = [
    "Cal": 1, "kcal": 1, "cal": 0.001, "kJ": 1 / 4.184, "J": 0.001 / 4.184,
  ]

  /// Factors to kg.
  private static let masses = [
    "kg": 1, "g": 0.001, "lb": 0.453_592_37, "oz": 0.028_349_523_125, "st": 6.350_293_18,
  ]
}

extension StudyStore {
  /// Verifies the chain of hashes of all changes, and the study day's tables against them.
  ///
  /// - Throws: `StoreError` if the database cannot be read.
  public func verifyChanges() throws(StoreError) -> ChangeChain {
    try verifyChanges(convertingVitals: VitalKind.converted)
  }
}
