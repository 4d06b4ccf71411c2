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

  static let cases =
    commandCases + fitCases + lineCases + comparisonCases + sobrietyCases + sharedCases

  private static let commandCases = [
    Case("frobnicate", names: "'frobnicate'"),
    Case("--frobnicate", names: "'--frobnicate'"),
    Case("check", names: "'<study>'"),
    Case("fit", names: "'<study>'"),
    Case("compare", names: "'<study>'"),
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

  private static let lineCases = [
    Case("fit", "study", "--method", "crooked", names: "--method"),
    Case("fit", "study", "--limb-after", "-1", names: "--limb-after"),
    Case("fit", "study", "--limb-after=-1", names: "--limb-after is -1.0"),
    Case("fit", "study", "--limb-above=-0.1", names: "--limb-above is -0.1"),
    Case("fit", "study", "--level", "1.5", names: "--level is 1.5"),
    Case("fit", "study", "--level", "0", names: "--level is 0.0"),
  ]

  private static let comparisonCases = [
    Case("compare", "study", "--replicates", "5", names: "--replicates is 5"),
    Case("compare", "study", "--replicates", "1000001", names: "--replicates is 1000001"),
    Case("compare", "study", "--level", "1.5", names: "--level is 1.5"),
    Case("compare", "study", "--level", "nan", names: "--level is nan"),
    Case("compare", "study", "--by", "foo", names: "--by"),
    Case("compare", "study", "--seed", "-1", names: "--seed"),
    Case("compare", "study", "--seed", "18446744073709551616", names: "--seed"),
    Case("compare", "study", "--r-factor", "watson,watson", names: "--r-factor"),
    Case("compare", "study", "--r-factor", "watson,", names: "--r-factor"),
    Case("compare", "study", "--r-factor", "watson,nobody", names: "--r-factor"),
  ]

  private static let sobrietyCases = [
    Case("sober", "study", "--threshold", "-1", names: "--threshold"),
    Case("sober", "study", "--threshold=-1", names: "--threshold is -1.0"),
    Case("sober", "study", "--threshold", "nan", names: "--threshold is nan"),
    Case("sober", "study", "--parameters", "guessed", names: "--parameters"),
    Case("sober", "study", "--r-factor", "", names: "--r-factor"),
    Case("sober", "study", "--r-factor=-0.5", names: "--r-factor"),
    Case("sober", "study", "--r-factor", "watson,watson", names: "--r-factor"),
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
