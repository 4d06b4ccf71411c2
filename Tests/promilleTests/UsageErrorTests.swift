import Testing

/// What is asked for wrongly ends with 64, says which option it is and does nothing.
@Suite struct UsageErrorTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var arguments: [String]
    /// What the message must name.
    var names: String

    init(_ arguments: String..., names: String) {
      self.arguments = arguments
      self.names = names
    }

    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let cases = commandCases + fitCases + sobrietyCases + sharedCases

  private static let commandCases = [
    Case("frobnicate", names: "'frobnicate'"),
    Case("--frobnicate", names: "'--frobnicate'"),
    Case("check", names: "'<study>'"),
    Case("fit", names: "'<study>'"),
    Case("sober", names: "'<study>'"),
    Case("check", "study", "more", names: "'more'"),
  ]

  private static let fitCases = [
    Case("fit", "study", "--nonsense", names: "'--nonsense'"),
    Case("fit", "study", "--estimate", "kb", names: "--estimate"),
    Case("fit", "study", "--estimate", "", names: "--estimate"),
    Case("fit", "study", "--estimate", "ka,ka", names: "--estimate"),
    Case("fit", "study", "--estimate", "ka,", names: "--estimate"),
    Case("fit", "study", "--estimate", "KA", names: "--estimate"),
    Case("fit", "study", "--ka", "-1", names: "--ka"),
    Case("fit", "study", "--ka=-1", names: "--ka is -1.0"),
    Case("fit", "study", "--ka", "0", names: "--ka is 0.0"),
    Case("fit", "study", "--ka", "nan", names: "--ka is nan"),
    Case("fit", "study", "--ka", "inf", names: "--ka is inf"),
    Case("fit", "study", "--ka", "1e400", names: "--ka"),
    Case("fit", "study", "--ka", "six", names: "--ka"),
    Case("fit", "study", "--beta=-0.1", names: "--beta is -0.1"),
    Case("fit", "study", "--starts", "0", names: "--starts is 0"),
    Case("fit", "study", "--starts", "10001", names: "--starts is 10001"),
    Case("fit", "study", "--starts", "99999999999999999999", names: "--starts"),
    Case("fit", "study", "--starts", "1.5", names: "--starts"),
    Case("fit", "study", "--r-factor", "nobody", names: "--r-factor"),
    Case("fit", "study", "--r-factor", "0", names: "--r-factor"),
    Case("fit", "study", "--r-factor", "nan", names: "--r-factor"),
    Case("fit", "study", "--r-factor", "all", names: "--r-factor"),
    Case("fit", "study", "--censor", "m9", names: "--censor"),
    Case("fit", "study", "--blood-water", "0", names: "--blood-water is 0.0"),
  ]

  private static let sobrietyCases = [
    Case("sober", "study", "--threshold", "-1", names: "--threshold"),
    Case("sober", "study", "--threshold=-1", names: "--threshold is -1.0"),
    Case("sober", "study", "--threshold", "nan", names: "--threshold is nan"),
    Case("sober", "study", "--parameters", "guessed", names: "--parameters"),
    Case("sober", "study", "--r-factor", "", names: "--r-factor"),
    Case("sober", "study", "--r-factor=-0.5", names: "--r-factor"),
    Case("sober", "study", "--estimate", "ka", names: "'--estimate'"),
    Case("sober", "study", "--starts", "0", names: "--starts is 0"),
    Case("sober", "study", "--ka", "0", names: "--ka is 0.0"),
  ]

  private static let sharedCases = Command.names.flatMap { command in
    [
      Case(command, "study", "--format", "xml", names: "--format"),
      Case(command, "study", "--format", names: "--format"),
      Case(command, "study", "-o", names: "-o"),
      Case(command, "study", "--blood-density", "0", names: "--blood-density is 0.0"),
      Case(command, "study", "--blood-breath-ratio=-2100", names: "--blood-breath-ratio is -2100"),
      Case(command, "study", "--serum-blood-ratio", "inf", names: "--serum-blood-ratio is inf"),
    ]
  }

  @Test(arguments: cases)
  func namesWhatIsWrong(_ expected: Case) async throws {
    let run = try await Command.promille(expected.arguments)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    let message = try #require(run.complaints.first)
    #expect(message.hasPrefix("Error: "))
    #expect(message.contains(expected.names))
  }
}
