import AlcoholKinetics
import ArgumentParser
import Certification
import Estimation
import Foundation
import Reporting
import Testing
import Validation

@testable import promille

/// The options of a command are one value, declared once: results carry all of them, and their defaults are
/// the library's.
@Suite struct ResultCommandTests {
  /// The arguments that each command needs to be parsed; a command that is missing here is a failure.
  private static let arguments = [
    "check": ["study"], "fit": ["study"], "compare": ["study"], "sober": ["study"],
    "simulate": ["study"], "design": ["study"], "report": ["study", "-o", "x.html"],
    "plot": ["study", "--subject", "a", "-o", "x.svg"], "import": ["study", "--into", "x.sqlite"],
    "export": ["study", "--to", "json"],
    "regress": ["--nist"], "bench": [],
    "population": ["study"], "prior": ["study", "--prior", "fed"],
    "forecast": ["study", "--prior", "fed"],
    "case": ["back"], "init": ["folder"], "drinks": [],
  ]

  /// Options about form, part, place and speed of the output, which change no number.
  private static let delivery: Set = [
    "output", "statement", "decimal", "details", "quiet", "color", "jobs", "upgrade", "version",
    "help",
    "input_format",
    "subjects_part",
  ]

  private static func parsed(_ name: String, _ more: String...) throws -> any ResultCommand {
    let arguments = try #require(arguments[name], "\(name)")
    return try #require(
      try Promille.parseAsRoot([name] + arguments + more) as? any ResultCommand, "\(name)")
  }

  /// Includes every command and option that the parser lists.
  @Test func resultsCarryEveryOption() async throws {
    let dump = try await Command.promille("--experimental-dump-help").json
    let root = try #require(dump["command"] as? [String: Any])
    let commands = try #require(root["subcommands"] as? [[String: Any]])
    for command in commands {
      let name = try #require(command["commandName"] as? String)
      // They print explanations or what others made, or have no results.
      guard !["explain", "help", "serve", "worker"].contains(name) else {
        continue
      }
      #expect(try type(of: Self.parsed(name)).name == name)
      var carried = try Self.parsed(name).options.map(\.name)
      let arguments = try #require(command["arguments"] as? [[String: Any]])
      for argument in arguments {
        let option = try Self.name(of: argument)
        // The format is one of a page or a picture, and else says what the same numbers look like.
        let isOfPage = ["report", "plot"].contains(name)
        guard !Self.delivery.contains(option), option != "format" || isOfPage else {
          continue
        }
        let found = carried.filter { $0 == option || $0.hasPrefix(option + "_") }
        let best = try #require(
          found.min { $0.count < $1.count }, "\(name) does not carry \(option)")
        carried.removeAll { $0 == best }
      }
      #expect(carried.isEmpty, "\(name) carries what is no option: \(carried)")
    }
  }

  /// `--blood-water` as `blood_water`; the folders of `regress` as `folders`.
  private static func name(of argument: [String: Any]) throws -> String {
    let names = (argument["names"] as? [[String: Any]] ?? []).filter {
      $0["kind"] as? String == "long"
    }
    let value = try #require(argument["valueName"] as? String ?? names.first?["name"] as? String)
    let name = names.first?["name"] as? String ?? (value == "dir" ? "folders" : value)
    return name.replacing("-", with: "_")
  }

  private static func value(_ command: any ResultCommand, _ name: String) -> String? {
    command.options.first { $0.name == name }?.value.line
  }

  /// Values that follow from other options are filled in.
  @Test func resultsCarryDerivedOptions() throws {
    let fit = try Self.parsed(
      "fit", "--model", "michaelis-menten", "--loss", "huber", "--fix", "ka=9")
    #expect(Self.value(fit, "estimate") == #""vmax,km""#)
    #expect(Self.value(fit, "censor") == #""one-sided""#)
    #expect(Self.value(fit, "loss_scale") == "\(Loss.huber.defaultTuning)")
    let given = try Self.parsed("sober", "--model", "michaelis-menten", "--predict-with", "km=0.02")
    #expect(Self.value(given, "predict_with") == #"["lag=3.41", "vmax=0.2", "km=0.02"]"#)
    #expect(Self.value(given, "beta_g_per_kg_h") == "null")
    let fitted = try Self.parsed("sober", "--parameters", "fitted")
    #expect(Self.value(fitted, "ka_per_h") == "null")
    let (simulate, bench) = (try Self.parsed("simulate"), try Self.parsed("bench", "--quick"))
    #expect(Self.value(simulate, "every_min") == "1.0")
    #expect(Self.value(bench, "rounds") == "1")
  }

  /// However an option was typed, results state its value in one form.
  @Test func optionValuesHaveOneForm() throws {
    let fit = try Self.parsed(
      "fit", "--fix", "lag=7.0", "--fix", "k_a=9", "--bound", "beta=.05:1.0", "--error",
      "combined:.010,5e-2", "--correlation", "exponential:24.0", "--r-factor", "seidel",
      "--derived",
      "auc,peak")
    #expect(Self.value(fit, "fix") == #"["ka=9", "lag=7"]"#)
    #expect(Self.value(fit, "bound") == #"["beta=0.05:1"]"#)
    #expect(Self.value(fit, "error") == #""combined:0.01,0.05""#)
    #expect(Self.value(fit, "correlation") == #""exponential:24""#)
    #expect(Self.value(fit, "r_factor") == #""seidl""#)
    #expect(Self.value(fit, "derived") == #""peak,auc""#)
    let report = try Self.parsed("report", "--ka", "5", "--derived", "peak", "--threshold", "0.1")
    #expect(Self.value(report, "fix") == "[]" && Self.value(report, "ka_per_h") == "5.0")
    #expect(Self.value(report, "derived") == #""peak""#)
    #expect(Self.value(report, "threshold_g_per_kg") == "0.1")
    let all = try Self.parsed("fit", "--model", "all")
    #expect(Self.value(all, "model") == #""all""#)
    let five = "widmark,watson,forrest,seidl,ulrich"
    #expect(Self.value(try Self.parsed("report", "--methods", five), "methods") == "\"\(five)\"")
  }

  // MARK: Defaults

  @Test func fitDefaultsMatchTheLibrary() throws {
    let fit = try Fit.parse(["study"])
    let (options, usual) = (fit.fitOptions, FitOptions())
    #expect(options.model == usual.model && options.estimate == usual.estimate)
    #expect(options.rFactor.name == usual.rFactor.name && options.error == usual.error)
    #expect(options.selection == usual.selection && options.loss == usual.loss)
    #expect(options.starts == usual.starts && options.interval == usual.interval)
    #expect(options.correlation == usual.correlation && options.factors == usual.factors)
    #expect(options.standardErrors == usual.standardErrors)
    #expect(fit.lineOptions == EliminationLineOptions())
  }

  @Test func predictionDefaultsMatchTheLibrary() throws {
    let compare = try Compare.parse(["study"])
    let (options, usual) = (compare.predictionOptions, PredictionOptions())
    #expect(options.model == usual.model && options.parameters == usual.parameters)
    #expect(options.methods.map(\.name) == usual.methods.map(\.name))
    #expect(options.threshold == usual.threshold && options.selection == usual.selection)
    #expect(compare.intervals.bootstrap == Bootstrap())
    #expect(compare.prediction.water.constant() == .perKilogram)
    #expect(options.typical == usual.typical)
  }

  @Test func otherDefaultsMatchTheLibrary() throws {
    let simulate = try Simulate.parse(["--cohort", "9", "-o", "x"])
    #expect(
      simulate.cohort.design(of: 9, every: nil, .widmark) == CohortDesign(subjects: 9))
    #expect(try Bench.parse([]).rounds == BenchmarkRunner().rounds)
  }

  /// The defaults that the help states are those used without the option.
  @Test(arguments: EliminationModel.allCases)
  func helpStatesTheValuesOfPredictions(model: EliminationModel) throws {
    let help = Simulate.helpMessage().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let option = try TypicalOption.parse([])
    #expect(option.kinetics == PredictionOptions().typical && option.recorded == .fasted)
    let typical = TypicalKinetics.fasted
    let values = typical.values(of: model, for: .male)
    #expect(help.contains("fasted \(try #require(values[.ka]))"))
    for (parameter, value) in values where ![.ka, .lag, .gain].contains(parameter) {
      let text = parameter == .beta ? "fasted \(value)" : "\(parameter.rawValue)=\(value)"
      #expect(help.contains(text), "\(text)")
    }
  }
}
