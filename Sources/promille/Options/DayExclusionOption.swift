import AlcoholKinetics
public import ArgumentParser
import StudyData
public import StudyStore

/// Which occasions are left out for the vital signs of their day.
struct DayExclusionOption: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Leave out occasions on days when the mean of a vital sign is beyond a value, for example "
        + "'HeartRate>100'. Needs a database; may be repeated.",
      valueName: "rule"))
  var excludeDayWith: [DayRule] = []

  /// Reads the study without the occasions that are left out, and says which these are.
  func read(_ input: StudyOptions, _ console: Console) throws -> Study {
    guard !excludeDayWith.isEmpty else { return try input.read(console) }
    try require(
      StudyStore.accepts(input.study), "--exclude-day-with needs a database with vital signs.")
    let store = try StudyStore(path: input.study, for: .reading)
    let exclusion = try store.study(excludingDaysWith: excludeDayWith)
    console.tell(exclusion.study.allDiagnostics)
    // A rule about something that was not measured leaves nothing out, which may not be what was meant.
    for rule in exclusion.idle {
      console.warning(
        "W_NO_VITALS", "no day has a value of \(rule.kind), so \(rule) leaves nothing out",
        at: input.study)
    }
    for (series, rule) in exclusion.excluded {
      let name = [series.subject.id, series.occasion].compactMap(\.self).joined(separator: "/")
      console.warning("W_DAY_EXCLUDED", "\(name) is left out by \(rule)", at: input.study)
    }
    return exclusion.study
  }
}

extension DayRule: ExpressibleByArgument, TypedValue {
  var text: String { description }

  public init?(argument: String) {
    self.init(argument)
  }
}
