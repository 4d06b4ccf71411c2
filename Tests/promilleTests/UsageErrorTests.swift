import ArgumentParser
import TestSupport
import Testing

@testable import promille

/// Usage errors end with 64, name the wrong option and do nothing.
@Suite struct UsageErrorTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var arguments: [String]
    /// The argument or option that the message must name.
    var names: String

    init(_ arguments: String..., names: String) {
      self.arguments = arguments
      self.names = names
    }

    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let cases =
    commandCases + repeatedCases + unusedCases + negativeCases + fitCases + lineCases
    + comparisonCases + sobrietyCases
    + sharedCases

  private static let commandCases = [
    Case("frobnicate", names: "There is no command 'frobnicate'; choose from init, check, fit,"),
    Case("chek", "study", names: "Did you mean check?"),
    Case("fti", "study", names: "There is no command 'fti'"),
    Case("fit", "study", "--estimat", "ka", names: "Did you mean '--estimate'?"),
    Case("fit", "study", "--decimal", "comma", "--format", "json", names: "--decimal is for CSV"),
    Case("check", "", names: "The argument after check is empty"),
    Case("check", "study", "-o", "", names: "The argument after -o is empty"),
    Case("", names: "The first argument is empty"),
    Case("export", "study", "--to", "csv", "--notebook", "-o", "x", names: "choose one of them"),
    Case("--frobnicate", names: "'--frobnicate'"),
    Case("check", names: "'<study>'"),
    Case("fit", names: "'<study>'"),
    Case("compare", names: "'<study>'"),
    Case("sober", names: "'<study>'"),
    Case("check", "study", "more", names: "'more'"),
    Case("simulate", names: "found nothing"),
    Case("simulate", "--cohort", "3", "study", names: "found the study study and --cohort"),
  ]

  /// Options with one value that are given twice, in any spelling.
  private static let repeatedCases = [
    Case(
      "case", "forward", "--weight", "60", "--weight", "100",
      names: "--weight is given twice: '60' and '100'"),
    Case("case", "forward", "--weight=60", "--weight", "100", names: "'60' and '100'"),
    Case("case", "forward", "--weight", "60", "--weight=60", names: "'60' and '60'"),
    Case(
      "fit", "study", "-o", "a.csv", "--output", "b.csv",
      names: "-o and --output, which are one option, are given twice: 'a.csv' and 'b.csv'"),
    Case("fit", "study", "-qo", "a.csv", "-o=b.csv", names: "-o is given twice"),
    Case("fit", "study", "--lod", "1", "--lod", "-2", names: "'1' and '-2'"),
    Case("fit", "study", "--estimate", "ka", "--estimate", "ka", names: "'ka,ka' is invalid"),
    Case("fit", "study", "--r-factor", "watson", "--r-factor", "forrest", names: "given twice"),
    Case("population", "study", "--fix", "ka=3", "--fix", "ka=4", names: "--fix names ka twice"),
    Case(
      "population", "study", "--covariate", "ka=sex", "--covariate", "ka=sex:exponential",
      names: "--covariate names ka=sex twice"),
    Case("fit", "study", "--map", "A=sex,a=weight_kg", names: "said to be sex and weight_kg"),
    Case(
      "fit", "study", "--map", "A=sex", "--map", "a=weight_kg",
      names: "said to be weight_kg and sex"),
  ]

  /// Options that have no effect beside the others.
  private static let unusedCases = [
    Case("fit", "study", "--interval", "none", "--level", "0.9", names: "--level: not used"),
    Case("fit", "study", "--interval", "none", "--level", "0.95", names: "--level: not used"),
    Case("fit", "study", "--seed", "4", names: "--seed: not used, because only bootstraps"),
    Case("fit", "study", "--starts", "1", "--start-seed", "4", names: "--start-seed: not used"),
    Case("fit", "study", "--error-from", "subject", names: "--error-from: not used"),
    Case("fit", "study", "--food", "fed", names: "--food: not used"),
    Case(
      "fit", "study", "--estimate", "ka,beta,r", "--r-factor", "forrest",
      names: "--r-factor: not used, because r is estimated"),
    Case(
      "fit", "study", "--prior", "fed", "--model", "michaelis-menten",
      names: "--model: not used, because --prior"),
    Case("fit", "study", "--model", "all", "--interval", "wald", names: "--interval: not used"),
    Case("sober", "study", "--details", "--format", "json", names: "--details: not used"),
    Case(
      "fit", "study", "--summary", "--details", "--format", "csv", names: "--details: not used"),
    Case("plot", "study", "--subject", "a", "-o", "x.svg", "--seed", "4", names: "--seed"),
    Case("compare", "study", "--within", "5", "--format", "csv", names: "--within: not used"),
    Case("compare", "study", "--starts", "3", "--format", "csv", names: "--starts: not used"),
    Case("sober", "study", "--engine", "gsl", names: "--engine: not used"),
    Case("sober", "study", "--replicates", "200", names: "--replicates: not used"),
    Case("simulate", "study", "--seed", "4", names: "--seed: not used"),
    Case("simulate", "--cohort", "3", "-o", "x", "--until", "30", names: "--until: not used"),
    Case("simulate", "--drinks", "0:3g", "--map", "a=sex", names: "--map: not used"),
    Case("population", "study", "--nodes", "3", names: "--nodes: not used"),
    Case("population", "study", "--blood-water", "0.8", names: "--blood-water: not used"),
    Case("population", "study", "--evaluate", "f", "--starts", "3", names: "--starts: not used"),
    Case("forecast", "study", "--every", "5", "--format", "csv", names: "--every: not used"),
    Case("case", "forward", "--seed", "4", names: "--seed: not used, because --mode guideline"),
    Case("case", "back", "--ka", "4", names: "--ka: not used"),
    Case("case", "drinks", "--limit", "4", names: "--limit: not used"),
    Case(
      "case", "back", "--unit", "bac_g_per_l", "--blood-breath-ratio", "2300",
      names: "--blood-breath-ratio: not used"),
    Case("export", "study", "--to", "json", "--methods", "watson", names: "--methods: not used"),
    Case("case", "forward", "--later-drink", "20:00=20g", names: "--later-drink: not used"),
    Case("case", "sober", "--measured", "95", "--ka", "4", names: "--ka: not used"),
    Case("fit", "study", "--censor", "none", "--lod", "0.1", names: "--lod: not used"),
    Case(
      "population", "study", "--random", "ka", "--covariance", "full",
      names: "--covariance: not used"),
    Case("regress", "--nist", "--people", "5", names: "--people: not used"),
    Case("bench", "--quick", "--rounds", "2", names: "--rounds: not used"),
    Case("simulate", "datasets/nacar-2021", "-o", "x.json", names: "what is written is csv"),
    Case("export", "study", "--to", "events", "-o", "x.arrow", names: "what is written is csv"),
    Case("export", "study", "--to", "json", "-o", "x.csv", names: "what is written is json"),
  ]

  private static let fitCases = parameterCases + noiseCases + searchCases

  /// Numbers below zero are what an option was given, and not an option themselves.
  private static let negativeCases = [
    Case("check", "study", "--serum-blood-ratio", "-1", names: "--serum-blood-ratio is -1.0"),
    Case("fit", "study", "--lod", "-.5", names: "--lod is -0.5; it must be 0 or more"),
    Case("fit", "study", "--starts", "-3", names: "--starts is -3"),
    Case("compare", "study", "--threshold", "-1", names: "--threshold is -1.0"),
    Case("simulate", "--cohort", "-1", "-o", "x", names: "--cohort is -1"),
    Case("simulate", "--drinks", "-5", names: "'-5' is not a drink"),
    Case("report", "study", "--figures", "-1", "-o", "x.html", names: "--figures is -1"),
  ]

  private static let parameterCases = [
    Case("fit", "study", "--nonsense", names: "'--nonsense'"),
    Case("fit", "study", "--model", "nobody", names: "--model"),
    Case("fit", "study", "--estimate", "kb", names: "there is no parameter 'kb'; choose from ka,"),
    Case("fit", "study", "--estimate", "", names: "--estimate"),
    Case("fit", "study", "--estimate", "ka,ka", names: "named twice"),
    Case("fit", "study", "--estimate", "ka,", names: "--estimate"),
    Case(
      "fit", "study", "--estimate", "bta",
      names: "there is no parameter 'bta'; choose from ka, beta"),
    Case("fit", "study", "--fix", "vmx=3", names: "Did you mean vmax?"),
    Case("population", "study", "--random", "ca", names: "Did you mean"),
    Case("fit", "study", "--estimate", "vmax", names: "the widmark model has no vmax"),
    Case("fit", "study", "--ka", "18", names: "'--ka'"),
    Case("fit", "study", "--fix", "ka", names: "NAME=VALUE"),
    Case("fit", "study", "--fix", "kb=3", names: "there is no parameter 'kb'"),
    Case("fit", "study", "--fix", "ka=0", names: "'0' is not a value of ka; it must be a positive"),
    Case("fit", "study", "--fix", "ka=nan", names: "'nan' is not a value of ka"),
    Case("fit", "study", "--fix", "beta=1e400", names: "--fix"),
    Case("fit", "study", "--fix", "lag=-1", names: "a number of min, 0 or more"),
    Case(
      "fit", "study", "--limb-after", "60",
      names: "--limb-after: not used, because it is for --method"),
    Case(
      "fit", PackageFolder.dataset("nacar-2021"), "--dv-unit", "bac_g_per_l",
      names: "--dv-unit is for a table of events"),
    Case("simulate", "study", "--weight", "80", names: "--weight: only used with --drinks"),
    Case(
      "sober", "study", "--parameters", "fitted", "--ka", "3",
      names: "--ka, --beta and --predict-with are for"),
    Case(
      "sober", "study", "--predictions", "watson=x.csv",
      names: "watson is an r-factor method"),
    Case(
      "compare", "study", "--predictions", "x.csv", "--predictions", "other/x.csv",
      names: "--predictions names two models"),
    Case("report", "study", "-o", "report.pdf", names: "must end in .html or .md"),
    Case("fit", "study", "--fix", "ka=6", "--fix", "ka=7", names: "--fix names ka twice"),
    Case("fit", "study", "--fix", "ka=6", "--estimate", "ka,beta", names: "ka cannot be both"),
    Case(
      "fit", "study", "--fix", "ka=6", "--fix", "beta=0.1",
      names: "no parameter is left to estimate"),
    Case(
      "fit", "study", "--model", "michaelis-menten", "--estimate", "ka",
      names: "vmax must be estimated or fixed"),
    Case("fit", "study", "--bound", "ka=3", names: "NAME=LOW:HIGH"),
    Case("fit", "study", "--bound", "ka=30:0.5", names: "30 is not below 0.5"),
    Case("fit", "study", "--bound", "r=0.5:0.9", names: "r has bounds but is not estimated"),
    Case("fit", "study", "--r-factor", "nobody", names: "--r-factor"),
    Case("fit", "study", "--r-factor", "0", names: "--r-factor"),
    Case("fit", "study", "--r-factor", "nan", names: "--r-factor"),
    Case("case", "back", "--measured", "nan", names: "'nan' is invalid for '--measured"),
    Case("fit", "study", "--r-factor", "all", names: "--r-factor"),
    Case("fit", "study", "--blood-water", "0", names: "--blood-water is 0.0"),
  ]

  private static let noiseCases = [
    Case("fit", "study", "--standard-errors", "sandwich", names: "--standard-errors"),
    Case(
      "fit", "study", "--standard-errors", "robust",
      names: "cannot be combined with --interval profile; use --interval wald"),
    Case(
      "fit", "study", "--standard-errors", "robust", "--interval", "bootstrap",
      names: "--interval residual-bootstrap; use --interval wald"),
    Case(
      "fit", "study", "--standard-errors", "robust", "--interval", "wald", "--correlation",
      "exponential", names: "both allow for correlated errors; choose one"),
    Case("fit", "study", "--correlation", "ar1", names: "choose auto, none, exponential"),
    Case("fit", "study", "--correlation", "exponential:0", names: "'0' is not a positive number"),
    Case("fit", "study", "--correlation", "exponential:", names: "'' is not a positive number"),
    Case(
      "fit", "study", "--correlation", "exponential", "--loss", "huber",
      names: "exponential correlation and the huber loss cannot be combined"),
    Case(
      "fit", "study", "--correlation", "exponential", "--interval", "bootstrap",
      names: "a residual bootstrap assumes independent residuals"),
    Case(
      "fit", "study", "--correlation", "exponential", "--censor", "one-sided",
      names: "one-sided censoring has none; choose m3"),
    Case("fit", "study", "--censor", "m9", names: "--censor"),
    Case("fit", "study", "--lod=-1", names: "--lod is -1.0"),
    Case("fit", "study", "--exclude-after-drink", "nan", names: "--exclude-after-drink is nan"),
    Case("fit", "study", "--error", "huge", names: "choose additive, proportional"),
    Case("fit", "study", "--error", "additive:0", names: "'0' is not a positive number"),
    Case("fit", "study", "--error", "additive:1,2", names: "additive:SD"),
    Case("fit", "study", "--error", "combined:1", names: "combined:SD,CV two"),
    Case("fit", "study", "--error", "instrument:1", names: "instrument none"),
    Case("fit", "study", "--loss", "l2", names: "--loss"),
    Case("fit", "study", "--loss-scale", "2", names: "--loss-scale has no effect"),
    Case("fit", "study", "--loss", "huber", "--loss-scale", "0", names: "--loss-scale is 0.0"),
    Case("fit", "study", "--loss", "huber", "--censor", "m3", names: "m3 and the huber loss"),
    Case("fit", "study", "--loss", "huber", "--model", "all", names: "the huber loss has none"),
    Case("fit", "study", "--censor", "one-sided", "--model", "all", names: "one-sided censoring"),
    Case("fit", "study", "--fix", "lag=5", "--model", "all", names: "the lag cannot be fixed"),
  ]

  private static let searchCases = [
    Case("fit", "study", "--interval", "sure", names: "--interval"),
    Case("fit", "study", "--replicates", "99", names: "--replicates is 99"),
    Case("fit", "study", "--level", "1", names: "--level is 1.0"),
    Case("fit", "study", "--seed", "-1", names: "--seed"),
    Case("fit", "study", "--starts", "0", names: "--starts is 0"),
    Case("fit", "study", "--starts", "10001", names: "--starts is 10001"),
    Case("fit", "study", "--starts", "99999999999999999999", names: "--starts"),
    Case("fit", "study", "--starts", "1.5", names: "--starts"),
    Case("fit", "study", "--start-design", "random", names: "--start-design"),
    Case("fit", "study", "--jobs", "0", names: "--jobs is 0"),
    Case("fit", "study", "--summary", "--model", "all", names: "--summary needs a single"),
    Case(
      "fit", "study", "--summary", "--method", "elimination-line", names: "--summary needs a single"
    ),
    Case(
      "fit", "study", "--summary", "--plot", "--format", "table", names: "--summary needs a single"),
    Case("fit", "study", "--residuals", "x", "--model", "all", names: "--residuals needs"),
    Case(
      "export", "study", "--to", "json", "--estimate", "ka", "--fix", "beta=0.15",
      names: "--estimate, --fix: not used, because readings are exported"),
    Case(
      "fit", "study", "--residuals", "x", "--method", "elimination-line",
      names: "--residuals needs"),
  ]

  private static let lineCases = [
    Case("fit", "study", "--method", "crooked", names: "--method"),
    Case("fit", "study", "--limb-after", "-1", names: "--limb-after"),
    Case(
      "fit", "study", "--method", "elimination-line", "--estimate", "ka,beta,r", "--error",
      "proportional", "--starts", "4",
      names: "--estimate, --error, --starts: not used, because --method"
    ),
    Case(
      "fit", "study", "--method", "elimination-line", "--fix", "ka=6",
      names: "--fix: not used, because --method"),
    Case(
      "fit", "study", "--method", "elimination-line", "--interval", "wald", names: "--interval"),
    Case("fit", "study", "--limb-after=-1", names: "--limb-after is -1.0"),
    Case("fit", "study", "--limb-above=-0.1", names: "--limb-above is -0.1"),
    Case("fit", "study", "--level", "1.5", names: "--level is 1.5"),
    Case("fit", "study", "--level", "0.05", names: "--level is 0.05; it must be from 0.5"),
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
    Case("sober", "study", "--r-factor", "0.7,wattson", names: "\"wattson\". Did you mean watson?"),
    Case("sober", "study", "--estimate", "ka", names: "'--estimate'"),
    Case("sober", "study", "--starts", "0", names: "--starts is 0"),
    Case("sober", "study", "--ka", "-1", names: "--ka"),
    Case("sober", "study", "--ka=-1", names: "--ka is -1.0"),
    Case("sober", "study", "--ka", "0", names: "--ka is 0.0"),
    Case("sober", "study", "--ka", "nan", names: "--ka is nan"),
    Case("sober", "study", "--ka", "inf", names: "--ka is inf"),
    Case("sober", "study", "--ka", "1e400", names: "--ka"),
    Case("sober", "study", "--ka", "six", names: "--ka"),
    Case("sober", "study", "--beta=-0.1", names: "--beta is -0.1"),
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
  func usageErrorNamesTheWrongArgument(_ expected: Case) async throws {
    let run = try await Command.promille(expected.arguments)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    let message = try #require(run.complaints.first)
    #expect(message.hasPrefix("Error: "))
    #expect(message.contains(expected.names))
  }

  /// Usage errors that are found only once the command runs show its usage, too.
  @Test func usageErrorShowsUsageOfItsCommand() async throws {
    let run = try await Command.promille(
      "fit", "datasets/nacar-2021", "--exclude-day-with", "HeartRate>90")
    #expect(run.status == 64)
    #expect(run.complaints.first?.hasPrefix("Error: --exclude-day-with needs") == true)
    #expect(run.errors.contains("\nUsage: promille fit "))
    #expect(run.errors.contains("See 'promille fit --help'"))
  }

  /// An unforeseen error is reported as internal, not as a failed subject.
  @Test func unforeseenErrorIsInternal() {
    struct Unforeseen: Error {}
    let ending = Promille.ending(for: Unforeseen(), of: Fit.self)
    #expect(ending as? ExitCode == ExitStatus.internalError)
    let failed = Promille.ending(for: ExitStatus.someFailed, of: Fit.self)
    #expect(failed as? ExitCode == ExitStatus.someFailed)
  }
}
