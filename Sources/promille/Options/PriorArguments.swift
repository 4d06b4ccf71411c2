import ArgumentParser
import Estimation
import Foundation
import Population
import StudyData
import StudyFiles

/// The prior of people's parameters.
struct PriorArguments: FileNaming {
  @Option(
    help: ArgumentHelp(
      "What is known of people before there are readings: a FILE that promille population wrote as JSON, or one "
        + "that ships: \(PopulationPrior.shippedNames.joined(separator: ", ")).",
      valueName: "file"), completion: .priors)
  var prior: String?

  var namedFiles: [NamedFile] { [.read(prior)] }
}

extension CompletionKind {
  /// Priors that ship, by their names, and files.
  static var priors: CompletionKind {
    .custom { words, index, _ in
      let typed = words.indices.contains(index) ? words[index] : ""
      return PopulationPrior.shippedNames.filter { $0.hasPrefix(typed) } + files(from: typed)
    }
  }

  /// Files and folders whose path begins as typed. A folder that is alone gives what is in it, as shells end the word
  /// behind a single offer.
  private static func files(from typed: String) -> [String] {
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    let begun = typed.dropFirst(folder.count)
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    let offers = names.filter {
      $0.hasPrefix(begun) && (!$0.hasPrefix(".") || begun.hasPrefix("."))
    }.sorted()
      .map { name in
        var isFolder: ObjCBool = false
        let path = folder + name
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        return isFolder.boolValue ? path + "/" : path
      }
    guard offers.count == 1, let only = offers.first, only.hasSuffix("/"), only != typed else {
      return offers
    }
    return files(from: only)
  }
}

extension Console {
  /// Reads a prior: one that ships, by its name, or a file. A file of the same name is given as ./NAME.
  func prior(_ name: String) throws -> (prior: PopulationPrior, digest: InputDigest) {
    let (file, digest) = try populationFile(name)
    let prior = try naming(name) { () throws(Problem) in try PopulationPrior(file) }
    if prior.isUndetermined {
      remark(
        "the prior \(name) comes from an undetermined population fit; see its warnings, or estimate fewer parameters"
      )
    }
    return (prior, digest)
  }

  /// Reads the population of a prior.
  func populationFile(_ name: String) throws -> (file: PopulationFile, digest: InputDigest) {
    guard let text = PopulationPrior.shippedText(name) else { return try population(name) }
    let data = Data(text.utf8)
    let file = try PopulationFile(data)
    return (file, InputDigest(file: "prior \(name)", of: data))
  }
}
