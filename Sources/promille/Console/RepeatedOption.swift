import ArgumentParser

/// An option that was given twice, of which the parser would take the last without a word.
enum RepeatedOption {
  /// Options that may be there several times, each time with another value.
  private static let repeatable: Set = [
    "--fix", "--bound", "--exclude-day-with", "--subject", "--kind", "--compare",
    "--set-importance", "--set-below", "--set-above",
  ]

  /// Refuses arguments that give an option again.
  ///
  /// - Throws: A `ValidationError` that names the option.
  static func refuse(in arguments: some Sequence<String>) throws {
    var given: Set<String> = []
    for argument in arguments.prefix(while: { $0 != "--" }) {
      guard let name = name(of: argument), !repeatable.contains(name) else { continue }
      guard given.insert(name).inserted else {
        throw ValidationError("\(name) is there twice; give it once.")
      }
    }
  }

  /// The long name of the option that an argument begins; nil for values.
  private static func name(of argument: String) -> String? {
    if argument == "-o" { return "--output" }
    guard argument.hasPrefix("--") else { return nil }
    return argument.split(separator: "=", maxSplits: 1).first.map(String.init)
  }
}
