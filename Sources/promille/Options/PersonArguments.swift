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
