import AlcoholKinetics
public import ArgumentParser
public import HealthData
import Reporting
import StudyData
import StudyStore

/// Which occasions are left out for the vital signs of their day.
struct DayExclusionOption: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Leave out occasions on days when the mean of a vital sign is beyond a value, for example "
        + "'HeartRate>100'. Needs a database; may be repeated.",
      valueName: "rule"))
  var excludeDayWith: [DayRule] = []

  /// Reads the study without the occasions that are left out, which are told of.
  func read(_ input: StudyOptions, _ console: Console) throws -> Study {
    guard !excludeDayWith.isEmpty else { return try input.read(console) }
    guard StudyStore.accepts(input.study) else {
      throw ValidationError("--exclude-day-with needs a database with vital signs.")
    }
    do throws(StoreError) {
      let store = try StudyStore(path: input.study, for: .reading)
      let (study, excluded) = try store.study(excludingDaysWith: excludeDayWith)
      console.tell(study.allDiagnostics)
      try warnOfRulesWithoutVitals(store, console)
      for (series, rule) in excluded {
        let name = [series.subject.id, series.occasion].compactMap(\.self).joined(separator: "/")
        console.warning("\(input.study): warning W_DAY_EXCLUDED: \(name) is left out by \(rule)")
      }
      return study
    } catch {
      throw console.end(error)
    }
  }

  /// A rule about what nobody measured leaves nothing out, which may not be what was meant.
  private func warnOfRulesWithoutVitals(
    _ store: StudyStore, _ console: Console
  ) throws(StoreError) {
    for rule in excludeDayWith
    where try store.vitalDays(VitalFilter(kinds: [rule.kind])).isEmpty {
      console.warning(
        "\(store.path): warning W_NO_VITALS: no day has a value of \(rule.kind.rawValue), so "
          + "\(rule) leaves nothing out")
    }
  }

  /// The option as results carry it.
  var values: [(name: String, value: JSONValue)] {
    excludeDayWith.isEmpty
      ? [] : [("exclude_day_with", .array(excludeDayWith.map { .string($0.description) }))]
  }
}

extension DayRule: ExpressibleByArgument {
  /// Takes a rule as people write it.
  public init?(argument: String) {
    self.init(argument)
  }
}
