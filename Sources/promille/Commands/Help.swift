import ArgumentParser
import Casework

/// The help of a command: short, with the options that most people use, or all of it.
///
/// The short one is cut out of the other, so that the parser, the completions and the manual know every
/// option, and each is described once.
enum Help {
  /// The options that the short help of a command has; commands that are not here have few, and show all.
  static let common = [
    "check": ["--map", "--blood-breath-ratio"],
    "import": ["--into", "--subject", "--types", "--from", "--to", "--map"],
    "fit": [
      "--model", "--estimate", "--fix", "--r-factor", "--prior", "--exclude-after-drink",
      "--interval",
      "--derived", "--summary", "--plot", "--residuals", "--details",
    ],
    "population": [
      "--model", "--random", "--covariate", "--r-factor", "--error", "--diagnostics", "--report",
      "--exclude-after-drink", "--details",
    ],
    "forecast": [
      "--prior", "--holdout", "--after", "--threshold", "--at", "--register", "--score",
    ],
    "compare": [
      "--r-factor", "--model", "--parameters", "--ka", "--beta", "--threshold", "--summary", "--by",
    ],
    "sober": [
      "--r-factor", "--model", "--parameters", "--ka", "--beta", "--threshold", "--predictions",
    ],
    "case": [
      "--sex", "--age", "--height", "--weight", "--at", "--measured", "--unit", "--measured-at",
      "--drink",
      "--drinking-ended", "--limit", "--mode", "--case", "--statement",
    ],
    "design": [
      "--drinks", "--sex", "--age", "--height", "--weight", "--count", "--readings", "--for",
      "--estimate",
      "--prior", "--error", "--lod", "--exclude-after-drink", "--threshold", "--figure",
    ],
    "simulate": [
      "--drinks", "--cohort", "--r-factor", "--ka", "--beta", "--every", "--until", "--plot",
    ],
    "report": [
      "--estimate", "--fix", "--methods", "--parameters", "--compare-models", "--derived",
    ],
    "plot": ["--subject", "--occasion", "--estimate", "--fix", "--methods"],
    "export": ["--to", "--notebook", "--estimate", "--fix"],
  ]
  private static let everywhere = ["--format", "--output", "--help"]
  /// Lines of examples in the short help.
  private static let examples = 4

  /// The help that a command line asks for; nil if it asks for none.
  static func text(askedForBy line: [String]) -> String? {
    let line = line.prefix { $0 != "--" }
    let isAll = line.contains("--help-all")
    guard isAll || line.contains("--help") || line.contains("-h") || line.first == "help" else {
      return nil
    }
    let word = line.first { $0 != "help" && !$0.hasPrefix("-") }
    guard let word else { return isAll ? Promille.helpMessage() + "\n" : nil }
    guard let command = Promille.configuration.subcommands.first(where: { $0.name == word }) else {
      return nil
    }
    let full = Promille.helpMessage(for: command)
    if isAll { return full + "\n" }
    let words = line.filter { $0 != "help" && !$0.hasPrefix("-") }.dropFirst()
    if word == "case", let question = words.first.flatMap(CaseQuestion.init) {
      return shortened(full, of: word, to: question.help)
    }
    return shortened(full, of: word)
  }

  /// What the help of one of several questions has of its own.
  struct Topic {
    let question: String
    let overview: String
    let example: String
    let options: [String]
  }

  private static func shortened(
    _ full: String, of command: String, to topic: Topic? = nil
  ) -> String {
    guard let common = topic?.options ?? common[command] else { return full + "\n" }
    let wanted = common + everywhere
    var (kept, options, leftOut) = ([String](), [String](), 0)
    var isDiscussion = false
    for paragraph in full.paragraphs {
      if paragraph.hasPrefix("OVERVIEW:") {
        kept.append(paragraph)
        isDiscussion = true
      } else if paragraph.hasPrefix("USAGE:") || paragraph.hasPrefix("ARGUMENTS:") {
        kept.append(paragraph)
        isDiscussion = false
      } else if isDiscussion {
        if paragraph.hasPrefix("Example") { kept.append(paragraph.firstExamples(examples)) }
      } else {
        for entry in paragraph.entries {
          if wanted.contains(where: entry.describes) { options.append(entry) } else { leftOut += 1 }
        }
      }
    }
    if let topic {
      kept = [
        "OVERVIEW: \(topic.overview)", "Example:\n  \(topic.example)",
        "USAGE: promille \(command) \(topic.question) [<options>]",
      ]
    }
    kept.append("COMMON OPTIONS:\n" + options.joined(separator: "\n"))
    return kept.joined(separator: "\n\n")
      + "\n\n\(leftOut) more options, and what the command does in full: promille \(command) --help-all\n"
  }
}

extension String {
  fileprivate var paragraphs: [String] {
    split(separator: "\n\n").map { String($0) }
  }

  /// The entries of a list of options, each with the lines that belong to it.
  fileprivate var entries: [String] {
    split(separator: "\n").dropFirst().reduce(into: []) { entries, line in
      if line.hasPrefix("  -") || entries.isEmpty {
        entries.append(String(line))
      } else {
        entries[entries.count - 1] += "\n" + line
      }
    }
  }

  fileprivate func describes(_ option: String) -> Bool {
    prefix { $0 != "\n" }.split { $0 == " " || $0 == "," }.prefix(2).contains { $0 == option }
  }

  /// The heading and so many examples; one that goes on in the next line is kept whole.
  fileprivate func firstExamples(_ count: Int) -> String {
    var (kept, examples) = ([Substring](), 0)
    for line in split(separator: "\n") {
      if line.hasPrefix("  promille") { examples += 1 }
      if examples > count { break }
      kept.append(line)
    }
    return kept.joined(separator: "\n")
  }
}
