import Testing

@Suite struct HelpTests {
  @Test func ofTheCommandIsAsLastSeen() async throws {
    let run = try await Command.promille("--help")
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    try Snapshot.expect(run.output, named: "help.txt")
  }

  /// Whatever commands there are; a new one asks for its snapshot.
  @Test func ofEveryCommandIsAsLastSeen() async throws {
    let names = try await commandNames()
    #expect(names.starts(with: ["check", "fit"]))
    for name in names {
      let run = try await Command.promille(name, "--help")
      #expect(run.status == 0)
      try Snapshot.expect(run.output, named: "help-\(name).txt")
    }
  }

  @Test func isShownWithoutArguments() async throws {
    async let bare = Command.promille()
    async let asked = Command.promille("--help")
    #expect(try await bare.output == asked.output)
    #expect(try await bare.status == 0)
  }

  @Test func versionIsANumber() async throws {
    let run = try await Command.promille("--version")
    #expect(run.status == 0)
    let parts = run.output.dropLast().split(separator: ".")
    #expect(parts.count == 3 && parts.allSatisfy { Int($0) != nil })
    #expect(run.output.last == "\n")
  }

  /// The names that the help lists.
  private func commandNames() async throws -> [String] {
    let help = try await Command.promille("--help").output
    let list = help.split(separator: "\n").drop { $0 != "SUBCOMMANDS:" }.dropFirst()
    // Descriptions that go on stand further to the right; the last line refers to more help.
    return list.compactMap { line in
      let isName = line.hasPrefix("  ") && !line.hasPrefix("   ") && !line.hasPrefix("  See ")
      return isName ? line.split(separator: " ").first.map { String($0) } : nil
    }
  }
}
