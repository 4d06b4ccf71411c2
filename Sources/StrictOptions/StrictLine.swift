public import ArgumentParser
import Foundation

/// A command line whose options all count.
///
/// The parser keeps the last of two values of an option without a word, and takes options that have no effect. A strict
/// line refuses both:
///
///     let line = try StrictLine(["study", "--lod", "0.1", "--lod", "0.2"], of: Fit.self)  // throws
public struct StrictLine {
  /// The words as the parser shall see them: a list that was given in several options is one.
  public let words: [String]
  /// The long names of the options that were given.
  private let given: Set<Substring>

  /// Looks at the words behind the name of a command.
  ///
  /// - Throws: A usage error if an option that takes one value is given twice.
  public init(_ words: [String], of command: any ParsableCommand.Type) throws {
    let names = words.prefix { $0 != "--" }.filter { $0.hasPrefix("-") && $0 != "-" }
      .map { $0.prefix { $0 != "=" } }
    given = Set(names)
    // A description of all options takes the parser as long as parsing does: it is made only where it can matter.
    let letters = names.filter { !$0.hasPrefix("--") }.flatMap { $0.dropFirst() }
    let initials =
      letters + names.filter { $0.hasPrefix("--") }.compactMap { $0.dropFirst(2).first }
    let canRepeat =
      given.count < names.count
      || letters.contains { letter in initials.count { $0 == letter } > 1 }
    self.words = canRepeat ? try Repeats(of: command).joined(words) : words
  }

  /// Refuses options that have no effect beside the others.
  public func check(_ command: any StrictCommand) throws {
    for rule in command.unused.compactMap(\.self) {
      let named = rule.names.filter { given.contains($0[...]) }
      guard !named.isEmpty else { continue }
      throw ValidationError("\(named.joined(separator: ", ")): not used, \(rule.reason).")
    }
  }
}

extension StrictLine {
  /// The words behind the name of a command that another command understands, too: its arguments, and the options that
  /// both have.
  ///
  /// - Parameter left: Long names of options to leave out.
  package static func words(
    of line: [String], to command: any ParsableCommand.Type, for other: any ParsableCommand.Type,
    leaving left: Set<String>
  ) -> [String] {
    let own = Tool.arguments(of: command)
    let names = Set(Tool.arguments(of: other).flatMap(\.typed))
    var options: [String] = []
    var positional: [String] = []
    var rest = line[...]
    while let word = rest.popFirst() {
      guard word != "--" else {
        positional += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        positional.append(word)
        continue
      }
      let name = String(word.prefix { $0 != "=" })
      let option = own.first { $0.typed.contains(name) }
      var words = [word]
      if option?.kind == "option", name == word, let value = rest.popFirst() {
        words.append(value)
      }
      guard let long = option?.typed.last, names.contains(long), !left.contains(long) else {
        continue
      }
      options += words
    }
    let isOdd = positional.contains { $0.hasPrefix("-") && $0 != "-" }
    return isOdd ? options + ["--"] + positional : positional + options
  }
}

/// A command that knows which of its options have no effect beside the others.
public protocol StrictCommand: ParsableCommand {
  /// The options that have none, as the command was parsed; nil for those that have an effect.
  var unused: [UnusedOptions?] { get }
}

/// Options that have no effect.
public struct UnusedOptions {
  /// Their long names.
  public let names: [String]
  /// The reason, and the option that would use them, to follow "not used,".
  public let reason: String

  /// Says that options have no effect, if they have none.
  public init?(
    _ names: @autoclosure () -> [String], if isUnused: Bool, _ reason: @autoclosure () -> String
  ) {
    guard isUnused else { return nil }
    self.names = names()
    self.reason = reason()
  }
}

extension ParsableArguments {
  /// The long names of all options and flags.
  public static var optionNames: [String] {
    Tool.arguments(of: Self.self).compactMap(\.typed.last)
  }
}

/// The parser's description of options.
private struct Tool: Decodable {
  struct Command: Decodable { let arguments: [Argument]? }

  struct Argument: Decodable {
    struct Name: Decodable { let kind, name: String }
    let kind: String
    let isRepeating: Bool
    let names: [Name]?
    let valueName: String?

    /// The names as they are typed, the long one last.
    var typed: [String] {
      (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
        .sorted { $0.count < $1.count }
    }
    /// Whether it is a list that is one value, with commas between its parts.
    var isList: Bool { valueName.map(Self.lists.contains) ?? false }

    /// The value names of options that take lists.
    private static let lists: Set = ["names", "methods", "types", "percents", "drinks"]
  }

  let command: Command

  static func arguments(of type: any ParsableArguments.Type) -> [Argument] {
    let tool = try? JSONDecoder().decode(Tool.self, from: Data(type._dumpHelp().utf8))
    return tool?.command.arguments ?? []
  }
}

/// Options that were given several times.
private struct Repeats {
  private let options: [String: Tool.Argument]

  init(of command: any ParsableCommand.Type) {
    let options = Tool.arguments(of: command).filter { $0.kind == "option" }
    self.options = Dictionary(
      options.flatMap { option in option.typed.map { ($0, option) } }
    ) { first, _ in first }
  }

  /// Joins lists that were given in several options.
  func joined(_ words: [String]) throws -> [String] {
    var result: [String] = []
    // Of each option: what was typed, its value, and where that stands in the result.
    var first: [String: (name: String, value: String, place: Int)] = [:]
    var rest = words[...]
    while let word = rest.popFirst() {
      result.append(word)
      if word == "--" { break }
      guard let (name, option, inWord) = option(in: word) else { continue }
      var value = inWord
      if value == nil {
        // Without a value it is the parser's to refuse.
        guard let next = rest.first, !next.hasPrefix("-") || next == "-" else { continue }
        rest.removeFirst()
        result.append(next)
        value = next
      }
      guard let value, !option.isRepeating, let key = option.typed.last else { continue }
      guard let earlier = first[key] else {
        first[key] = (name, value, result.count - 1)
        continue
      }
      guard option.isList else { throw Self.refusal(of: name, value, after: earlier) }
      result.removeLast(inWord == nil ? 2 : 1)
      result[earlier.place] += ",\(value)"
    }
    return result + rest
  }

  /// The option in a word, and its value if that stands behind an equals sign.
  private func option(in word: String) -> (name: String, option: Tool.Argument, value: String?)? {
    guard word.hasPrefix("-"), word != "-" else { return nil }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    var name = String(parts[0])
    // Of short options that stand together, the last one may have a value.
    if !name.hasPrefix("--"), let last = name.last { name = "-\(last)" }
    return options[name].map { (name, $0, parts.count > 1 ? String(parts[1]) : nil) }
  }

  private static func refusal(
    of name: String, _ value: String, after earlier: (name: String, value: String, place: Int)
  ) -> ValidationError {
    let what =
      name == earlier.name ? "\(name) is" : "\(earlier.name) and \(name), which are one option, are"
    return ValidationError(
      "\(what) given twice: '\(earlier.value)' and '\(value)'. Give it once.")
  }
}
