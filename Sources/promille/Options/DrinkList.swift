import AlcoholKinetics
import ArgumentParser

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
