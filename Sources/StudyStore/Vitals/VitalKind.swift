/// The kinds of vital signs that a database has room for, named as Apple Health names them.
public enum VitalKind: String, CaseIterable, Hashable, Sendable {
  /// Heart rate, in 1/min.
  case heartRate = "HeartRate"
  /// Body temperature, in C.
  case bodyTemperature = "BodyTemperature"
  /// Blood glucose, in mmol/L.
  case bloodGlucose = "BloodGlucose"
  /// Breaths, in 1/min.
  case respiratoryRate = "RespiratoryRate"
  /// Water drunk, in ml.
  case dietaryWater = "DietaryWater"
  /// Steps.
  case stepCount = "StepCount"
  /// Distance on foot, in km.
  case distanceWalkingRunning = "DistanceWalkingRunning"
  /// Distance by bicycle, in km.
  case distanceCycling = "DistanceCycling"
  /// Distance swum, in km.
  case distanceSwimming = "DistanceSwimming"
  /// Energy burned by moving, in kcal.
  case activeEnergyBurned = "ActiveEnergyBurned"
  /// Energy burned at rest, in kcal.
  case basalEnergyBurned = "BasalEnergyBurned"
  /// Body weight, in kg.
  case bodyMass = "BodyMass"
  /// Body height, in cm.
  case height = "Height"
}
