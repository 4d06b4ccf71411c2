import AlcoholKinetics
import ArgumentParser
import Reporting

/// The model of predicted curves, and values of its parameters where they are not estimated.
struct KineticOptions: ParsableArguments {
  @Option(
    name: .customLong("ka"),
    help: ArgumentHelp(
      "Absorption rate constant k_a in 1/h. (default: 18, Nacar 2021)", valueName: "1/h"))
  var kaPerHour: Double?

  @Option(
    name: .customLong("beta"),
    help: ArgumentHelp(
      "Elimination rate beta of Widmark's model in g/kg/h. (default: 0.15, Nacar 2021)",
      valueName: "g/kg/h"))
  var betaGramsPerKilogramHour: Double?

  @Option(
    name: .customLong("predict-with"), parsing: .singleValue,
    help: ArgumentHelp(
      "Value of another parameter of the model for predictions, in the units of fit --fix; may be "
        + "repeated.", valueName: "name=value"),
    transform: FixedParameter.init(parsing:))
  var others: [FixedParameter] = []

  func validate() throws {
    for (name, value) in [("--ka", kaPerHour), ("--beta", betaGramsPerKilogramHour)] {
      if let value, !(value > 0 && value.isFinite) {
        throw ValidationError("\(name) is \(value); it must be a positive number.")
      }
    }
    let names =
      (kaPerHour == nil ? [] : ["ka"]) + (betaGramsPerKilogramHour == nil ? [] : ["beta"])
      + others.map(\.parameter.rawValue)
    for name in names where names.count(where: { $0 == name }) > 1 {
      throw ValidationError("\(name) is given twice.")
    }
    if others.contains(where: { $0.parameter == .r || $0.parameter == .gain }) {
      throw ValidationError("--predict-with cannot set r or gain; choose r with --r-factor.")
    }
  }

  /// Whether nothing was given.
  var areDefaults: Bool {
    kaPerHour == nil && betaGramsPerKilogramHour == nil && others.isEmpty
  }

  /// What was given.
  var values: [FitParameter: Double] {
    var values = Dictionary(others.map { ($0.parameter, $0.value) }) { first, _ in first }
    values[.ka] = kaPerHour ?? values[.ka]
    values[.beta] = betaGramsPerKilogramHour ?? values[.beta]
    return values
  }

  /// Refuses values that a model does not have, and a model whose values are missing.
  func check(_ model: EliminationModel) throws {
    for parameter in values.keys.sorted() where !model.parameters.contains(parameter) {
      throw ValidationError("The \(model.rawValue) model has no \(parameter.rawValue).")
    }
    for traits in model.kinetics.ownParameters
    where traits.usualValue == nil && values[traits.parameter] == nil {
      throw ValidationError(
        "The \(model.rawValue) model needs --predict-with \(traits.name)=VALUE, in "
          + "\(traits.parameter.reportedUnit).")
    }
  }

  /// The options as results carry them.
  func values(of model: EliminationModel) -> [(name: String, value: JSONValue)] {
    let values = values
    let own = [FitParameter.ka] + model.kinetics.ownParameters.map(\.parameter)
    let all = own + values.keys.filter { !own.contains($0) }.sorted()
    return all.map { parameter in
      let value = values[parameter] ?? parameter.traits.usualValue
      return (
        parameter.traits.columnName, value.map { .number(parameter.reportedValue($0)) } ?? .null
      )
    }
  }
}
