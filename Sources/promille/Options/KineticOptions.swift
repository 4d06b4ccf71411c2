import AlcoholKinetics
import ArgumentParser
import Reporting

/// Values for k_a and beta where they are not estimated.
struct KineticOptions: ParsableArguments {
  @Option(
    name: .customLong("ka"),
    help: "Absorption rate constant k_a in 1/h, unless from a fit; Nacar 2021.")
  var kaPerHour = 18.0

  @Option(
    name: .customLong("beta"),
    help: "Elimination rate beta in g/kg/h, unless from a fit; Nacar 2021.")
  var betaGramsPerKilogramHour = 0.15

  func validate() throws {
    for (name, value) in [("--ka", kaPerHour), ("--beta", betaGramsPerKilogramHour)]
    where !(value > 0 && value.isFinite) {
      throw ValidationError("\(name) is \(value); it must be a positive number.")
    }
  }

  var ka: PerHour { PerHour(kaPerHour) }
  var beta: GramsPerKilogramHour { GramsPerKilogramHour(betaGramsPerKilogramHour) }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    [("ka_per_h", .number(kaPerHour)), ("beta_g_per_kg_h", .number(betaGramsPerKilogramHour))]
  }
}
