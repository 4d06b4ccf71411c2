import AlcoholKinetics
import ArgumentParser
import Reporting
import StudyData
import StudyFiles

struct Explain: ParsableCommand {
  static let configuration = Help.configuration("explain")

  @Argument(
    help: ArgumentHelp(
      "One or more codes or columns, for example W_AT_BOUND or beta_g_per_kg_h.",
      valueName: "name"),
    completion: .list(
      CodeExplanation.all.map(\.code) + ResultCatalogue.columnNames + topics.keys.sorted()))
  var names: [String] = []

  /// Lists of what an option takes.
  private static let topics = [
    "map": ColumnName.list, "r-factor": RFactorMethods.list, "units": ConcentrationUnit.list,
  ]

  /// The names that words of the subject stand for.
  private static let words = [
    "beta": "beta_g_per_kg_h", "holm": "holm_p", "ka": "ka_per_h",
    "lag": "lag_min", "sober": "sober_measured_min", "sobriety": "sober_measured_min",
    "threshold": "threshold_g_per_kg",
  ]

  func validate() throws {
    for name in names where Self.explanation(of: name) == nil {
      let similar = ResultCatalogue.similar(to: name).map { " Did you mean \($0)?" } ?? ""
      throw ValidationError("There is no code or column \(name).\(similar)")
    }
  }

  func run() throws {
    let text =
      names.isEmpty
      ? CodeExplanation.list : names.compactMap(Self.explanation).joined(separator: "\n")
    try Console(isQuiet: false).write(text.utf8, to: nil, option: "")
  }

  private static func explanation(of name: String) -> String? {
    if let list = topics[String(name.lowercased().drop { $0 == "-" })] { return list }
    let name = words[name.lowercased()] ?? name.replacing("-", with: "_")
    let code = { (name: String) in CodeExplanation.of(name)?.text(askedFor: name) }
    return code(name) ?? ResultCatalogue.explanation(of: name) ?? ColumnName(name)?.explanation
      ?? code("W_" + name) ?? code("E_" + name)
  }
}
