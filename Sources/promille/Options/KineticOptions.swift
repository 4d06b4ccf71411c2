import AlcoholKinetics
import ArgumentParser
import Reporting

/// Values for k_a and beta where they are not estimated.
struct KineticOptions: ParsableArguments {
  private static let defaultKa = 18.0
  private static let defaultBeta = 0.15

  @Option(
    name: .customLong("ka"),
    help: "Absorption rate constant k_a in 1/h; the default is from Nacar 2021.")
  var kaPerHour = Self.defaultKa

  @Option(
    name: .customLong("beta"),
    help: "Elimination rate beta in g/kg/h; the default is from Nacar 2021.")
  var betaGramsPerKilogramHour = Self.defaultBeta

  func validate() throws {
    for (name, value) in [("--ka", kaPerHour), ("--beta", betaGramsPerKilogramHour)]
    where !(value > 0 && value.isFinite) {
      throw ValidationError("\(name) is \(value); it must be a positive number.")
    }
  }

  /// Whether both are as they are unless given.
  var areDefaults: Bool {
    kaPerHour == Self.defaultKa && betaGramsPerKilogramHour == Self.defaultBeta
  }

  var ka: PerHour { PerHour(kaPerHour) }
  var beta: GramsPerKilogramHour { GramsPerKilogramHour(betaGramsPerKilogramHour) }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    [("ka_per_h", .number(kaPerHour)), ("beta_g_per_kg_h", .number(betaGramsPerKilogramHour))]
  }
}
