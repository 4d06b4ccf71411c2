import ArgumentParser
import DayDatabase
import HealthData
import StrictOptions
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore

struct Vitals: StrictCommand {
  static let configuration = CommandConfiguration(
    commandName: "vitals",
    abstract: "Report vital signs per day, and where they cross thresholds.",
    discussion: """
      Several entries on one day are averaged. For kinds with an importance above 3, the mean over a span of days is \
      compared with the thresholds that are set. Periods beyond a threshold are listed.

      Examples:
        promille serve vitals study.sqlite --importance 4 --subject ann
        promille serve vitals study.sqlite --set-importance HeartRate=4 --set-above HeartRate=100
        promille serve vitals study.sqlite --crossings
        promille serve vitals study.sqlite --export vitals.csv
      """)

  @Argument(help: "The database.", completion: .file())
  var database: String

  @OptionGroup(title: "Selection") var selection: VitalArguments
  @OptionGroup(title: "Settings") var changes: VitalSettingArguments

  @Flag(help: "Show the thresholds that were crossed (CSV then holds these, not the days).")
  var crossings = false

  @Flag(help: "Show the settings.")
  var settings = false

  @Option(
    help: ArgumentHelp(
      "Write all vital signs to FILE, with values and units as they came, and end.",
      valueName: "file"), completion: .file())
  var export: String?

  @OptionGroup(title: "Output") var output: OutputOptions

  func run() throws {
    try OutputOptions.require(export ?? output.path, apartFrom: database)
    let store = try StudyStore.day(database, for: changes.isEmpty ? .reading : .changing)
    if let export {
      return try OutputOptions.write(VitalFile.text(of: try store.vitalEntries()), to: export)
    }
    try changes.apply(to: store)
    let names = try store.subjectNames()
    for name in selection.subject where !names.contains(name) {
      PromilleServe.say(
        "\(database): warning W_NOBODY: --subject \(name) is not one of its \(names.count) subjects"
      )
    }
    if showsSettings {
      let (kinds, span) = try store.vitalSettings()
      return try output.print(
        [Self.settings.with(kinds.map { (setting: $0, spanDays: span) })],
        note: "Means are taken over \(span) days.")
    }
    let days = try store.vitalDays(selection.filter)
    let crossed = try store.vitalCrossings(selection.filter)
    let tables: [any PrintedTable] = [Self.days.with(days), Self.crossings.with(crossed)]
    try output.print(
      crossings ? tables.reversed() : tables,
      note: days.isEmpty
        ? "There are no such vital signs; promille serve import-health reads them from Apple Health and vitals.csv."
        : "thresholds crossed: \(crossed.count)")
  }

  private var showsSettings: Bool { settings || !changes.isEmpty }

  var unused: [UnusedOptions?] {
    [
      UnusedOptions(
        VitalArguments.optionNames + ["--crossings"], if: showsSettings,
        "because the settings are shown, which are the same for all; leave it out"),
      UnusedOptions(
        VitalArguments.optionNames + VitalSettingArguments.optionNames + OutputOptions.optionNames
          + ["--crossings", "--settings"], if: export != nil,
        "because --export writes all vital signs as they came; leave it out"),
    ]
  }

  /// A row per subject, day and kind.
  private static let days = ResultTable<VitalDay>(
    name: "days",
    columns: [
      .init("subject", isTyped: true) { .text($0.subject) },
      .init("day") { .text($0.day) },
      .init("kind") { .text($0.kind.rawValue) },
      .init("importance") { .integer(Int64($0.importance)) },
      .init("n") { .integer(Int64($0.count)) },
      .init("mean") { .number($0.mean) },
      .init("lowest") { .number($0.lowest) },
      .init("highest") { .number($0.highest) },
      .init("unit") { .text($0.kind.unit) },
    ])

  /// A row per stretch of days beyond a threshold.
  private static let crossings = ResultTable<VitalCrossing>(
    name: "crossings",
    columns: [
      .init("subject", isTyped: true) { .text($0.subject) },
      .init("kind") { .text($0.kind.rawValue) },
      .init("side") { .text($0.side.rawValue) },
      .init("threshold", decimals: 0) { .number($0.threshold) },
      .init("first_day") { .text($0.firstDay) },
      .init("last_day") { .text($0.lastDay) },
      .init("extreme_mean") { .number($0.extreme) },
      .init("unit") { .text($0.kind.unit) },
    ])

  /// A row per kind.
  private static let settings = ResultTable<(setting: VitalSetting, spanDays: Int)>(
    name: "settings",
    columns: [
      .init("kind") { .text($0.setting.kind.rawValue) },
      .init("importance") { .integer(Int64($0.setting.importance)) },
      .init("below", decimals: 0) { $0.setting.below.map(EventValue.number) },
      .init("above", decimals: 0) { $0.setting.above.map(EventValue.number) },
      .init("least", decimals: 0) { .number($0.setting.range.lowerBound) },
      .init("most", decimals: 0) { .number($0.setting.range.upperBound) },
      .init("unit") { .text($0.setting.kind.unit) },
      .init("span_days") { .integer(Int64($0.spanDays)) },
    ])
}
