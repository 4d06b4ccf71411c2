import ArgumentParser
import Reporting

/// `promille explain`
struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Explain the code of an error or a warning.",
    discussion: """
      Prints what was found, why it matters and what to do. Without a code, lists all codes.

      Example: promille explain W_AT_BOUND
      """)

  @Argument(help: ArgumentHelp("One or more codes, for example W_AT_BOUND.", valueName: "code"))
  var codes: [String] = []

  func validate() throws {
    for code in codes where CodeExplanation.of(code) == nil {
      let similar = CodeExplanation.similar(to: code).map { " Did you mean \($0)?" } ?? ""
      throw ValidationError("There is no code \(code).\(similar)")
    }
  }

  func run() throws {
    let text = codes.isEmpty ? CodeExplanation.list : explanations
    try Console(isQuiet: false).write(text.utf8, to: nil, option: "")
  }

  private var explanations: String {
    codes.compactMap(CodeExplanation.of).map(\.text).joined(separator: "\n")
  }
}
