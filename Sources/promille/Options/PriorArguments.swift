import ArgumentParser
import Estimation
import Foundation
import Population
import StudyData

/// What is known of people before there are readings.
struct PriorArguments: ParsableArguments, Encodable {
  @Option(
    help: ArgumentHelp(
      "What is known of people before there are readings: a FILE that promille population wrote as JSON, or one "
        + "that ships: \(PopulationPrior.shippedNames.joined(separator: ", ")).",
      valueName: "file"), completion: .file())
  var prior: String?
}

extension Console {
  /// Reads a prior: one that ships, by its name, or a file. A file of the same name is given as ./NAME.
  func prior(_ name: String) throws -> (prior: PopulationPrior, digest: InputDigest) {
    let (file, digest) = try populationFile(name)
    return (try orEnd { () throws(PopulationFailure) in try PopulationPrior(file) }, digest)
  }

  /// Reads the population of a prior.
  func populationFile(_ name: String) throws -> (file: PopulationFile, digest: InputDigest) {
    guard let text = PopulationPrior.shippedText(name) else { return try population(name) }
    let data = Data(text.utf8)
    let file = try orEnd { () throws(PopulationFailure) in try PopulationFile(data) }
    let digest = data.withUnsafeBytes(SHA256.hexDigest)
    return (file, InputDigest(file: "prior \(name)", sha256: digest))
  }
}
