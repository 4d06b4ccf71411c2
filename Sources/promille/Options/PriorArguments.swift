import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import Population
import Reporting
import StudyData
import StudyFiles

/// The prior of people's parameters.
struct PriorArguments: FileNaming {
  @Option(
    help: ArgumentHelp(
      "What is known of people before there are readings: a FILE that promille population or prior wrote as JSON, or one "
        + "that ships: \(PopulationPrior.shippedNames.joined(separator: ", ")).",
      valueName: "file"), completion: .priors)
  var prior: String?

  var namedFiles: [NamedFile] { [.read(prior)] }
}

extension LearnedPriors.Rule: ExpressibleByArgument {}

/// The completed series that a prior learns from.
struct LearningArguments: FileNaming {
  @Option(
    help: ArgumentHelp(
      "Learn the level and spread of the study from completed series, which have fallen to "
        + "\(NumberStyle.exact(Self.usualThreshold)) g/kg, or to the threshold of a forecast: "
        + "those of all others, or of those whose occasion ended before, by date or else by order of rows."
    ))
  var learn: LearnedPriors.Rule?

  @Option(
    help: ArgumentHelp(
      "Learn the level and spread from another study, whose series have fallen to half of the highest reading. "
        + "Nobody learns from a person of the same name.",
      valueName: "study"), completion: .file())
  var learnFrom: String?

  static let usualThreshold = 0.2

  var namedFiles: [NamedFile] { [.read(learnFrom)] }

  var isGiven: Bool { learn != nil || learnFrom != nil }

  /// The priors of the series of a study, and the digests of what else they learn from.
  ///
  /// - Parameter threshold: The concentration to which a completed series has fallen; nil if all count.
  func priors(
    from prior: PopulationPrior, of study: Study, _ input: StudyOptions,
    completedAt threshold: GramsPerKilogram?, _ options: Posterior.Options, jobs: Int,
    _ console: Console
  ) throws -> (priors: LearnedPriors, digests: [InputDigest]) {
    let factors = options.factors
    var own: [CompletedSeries?] = []
    if learn != nil {
      own = try CompletedSeries.all(of: study, prior, options, jobs: jobs, console) { series in
        threshold.map { series.isCompleted(at: $0, using: factors) } ?? true
      }
      let people = Set(own.compactMap { $0?.subject }).count
      console.remark(
        people > 0
          ? "\(people.counted("person", "people")) \(people == 1 ? "is" : "are") completed; others learn the level and "
            + "spread of the study"
          : "0 people are completed, so nothing is learned. The last reading of a completed series is at or below "
            + "\(NumberStyle.exact(threshold?.value ?? 0)) g/kg, at most half of the highest, and an hour after drinking "
            + "or later")
    }
    guard let learnFrom else {
      return (LearnedPriors(prior, study.series, completed: own, rule: learn), [])
    }
    let source = try input.naming(learnFrom).read(console)
    let other = try Self.completed(of: source, prior, options, jobs: jobs, console)
    let priors = LearnedPriors(
      prior, study.series, completed: own, rule: learn, other: other, called: learnFrom)
    return (priors, source.inputs)
  }

  /// The completed series of a whole study, which further people learn from.
  static func completed(
    of study: Study, _ prior: PopulationPrior, _ options: Posterior.Options, jobs: Int,
    _ console: Console
  ) throws -> [CompletedSeries] {
    let factors = options.factors
    let completed = try CompletedSeries.all(of: study, prior, options, jobs: jobs, console) {
      $0.isCompleted(at: nil, using: factors)
    }.compactMap(\.self)
    let people = Set(completed.map(\.subject)).count
    console.remark(
      "\(people.counted("person", "people")) \(people == 1 ? "is" : "are") completed in \(study.name)"
        + (people > 0
          ? "; the prior learns the level and spread of their study"
          : ", so nothing is learned. The last reading of a completed series is at most half of the highest, and an hour "
            + "after drinking or later"))
    return completed
  }
}

extension CompletedSeries {
  /// The completed series of a study, in its order; nil for one that is not completed or cannot be used, of which the first
  /// is named.
  fileprivate static func all(
    of study: Study, _ prior: PopulationPrior, _ options: Posterior.Options, jobs: Int,
    _ console: Console, where isCompleted: @Sendable (Series) -> Bool
  ) throws -> [CompletedSeries?] {
    let instrument = study.instrument
    let results = try ParallelMap.map(study.series, jobs: jobs) {
    } _: { (_: Void, series) -> Result<CompletedSeries, SeriesFailure>? in
      guard isCompleted(series) else { return nil }
      return Result { () throws(SeriesFailure) in
        try CompletedSeries(series, prior: prior, instrument: instrument, options: options)
      }
    }
    let failures = zip(study.series, results).compactMap { series, result in
      if case .failure(let failure) = result { (series, failure) } else { nil }
    }
    if let (series, failure) = failures.first {
      console.remark(
        "\(failures.count) completed series cannot be learned from; the first is of \(series.label): \(failure)"
      )
    }
    return results.map { try? $0?.get() }
  }
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
    let prior = try naming(name) { () throws(PopulationFailure) in try PopulationPrior(file) }
    if prior.isUndetermined {
      remark(
        "the prior \(name) is of a population that is undetermined: its readings do not tell everything that "
          + "it says; see its warnings, or estimate fewer parameters")
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
