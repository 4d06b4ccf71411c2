import AlcoholKinetics
import ArgumentParser

/// Somebody who is in no study.
struct PersonArguments: ParsableArguments {
  @Option(help: "male or female.")
  var sex: Sex?

  @Option(help: ArgumentHelp("Age in years.", valueName: "y"))
  var age: Double?

  @Option(help: ArgumentHelp("Height in cm.", valueName: "cm"))
  var height: Double?

  @Option(help: ArgumentHelp("Weight in kg.", valueName: "kg"))
  var weight: Double?

  func validate() throws {
    for (name, value, range) in [
      ("--age", age, 0...130.0), ("--height", height, 50...260), ("--weight", weight, 20...400),
    ] {
      guard let value, !range.contains(value) else { continue }
      throw ValidationError(
        "\(name) is \(value); it must be from \(range.lowerBound) to \(range.upperBound).")
    }
  }

  /// The options among these that are given.
  var given: [String] {
    [
      ("--sex", sex != nil), ("--age", age != nil), ("--height", height != nil),
      ("--weight", weight != nil),
    ].filter(\.1).map(\.0)
  }

  var subject: Subject {
    Subject(
      id: "1", sex: sex, age: age.map { Years($0) },
      height: height.map { Metres(centimetres: $0) }, weight: weight.map { Kilograms($0) })
  }
}

/// Drinks on the command line: `MIN:VOLUMEml@ABV%` or `MIN:GRAMSg`, separated by commas.
struct DrinkList {
  let drinks: [Drink]

  init(parsing argument: String) throws {
    drinks = try argument.split(separator: ",", omittingEmptySubsequences: false)
      .map { try Self.drink($0) }
      .sorted { $0.time < $1.time }
  }

  private static func drink(_ text: Substring) throws -> Drink {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let minutes = Double(trimmed(parts[0])), abs(minutes) <= 1e6,
      let dose = dose(trimmed(parts[1]))
    else {
      throw ValidationError(
        "'\(text)' is not a drink; write, for example, 0:500ml@4.4% or 30:20g (time in min first).")
    }
    return Drink(time: Hours(minutes: minutes), ethanol: dose)
  }

  private static func dose(_ text: String) -> EthanolDose? {
    if text.hasSuffix("g") {
      return number(text.dropLast(), upTo: 5000).map { .mass(Grams($0)) }
    }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].hasSuffix("ml"), parts[1].hasSuffix("%"),
      let volume = number(parts[0].dropLast(2), upTo: 100_000),
      let percent = number(parts[1].dropLast(), upTo: 100)
    else { return nil }
    return .volume(Millilitres(volume), abvPercent: percent)
  }

  private static func number(_ text: Substring, upTo limit: Double) -> Double? {
    guard let number = Double(text), number >= 0, number <= limit else { return nil }
    return number
  }

  private static func trimmed(_ text: Substring) -> String {
    text.filter { $0 != " " }
  }
}
