import ArgumentParser
import Reporting
import StudyData
import StudyFiles

struct Drinks: ResultCommand {
  static let configuration = Help.configuration("drinks")

  @Argument(help: ArgumentHelp("List only what these words may mean.", valueName: "names"))
  var names: [String] = []

  @Option(
    help: ArgumentHelp(
      "List FILE, laid out like datasets/drinks.json, instead of the built-in catalogue.",
      valueName: "file"))
  var drinksCatalogue: String?

  @OptionGroup(title: "Output") var output: OutputOptions

  var namedFiles: [NamedFile] { [.read(drinksCatalogue)] }

  func run() throws {
    let catalogue = try drinksCatalogue.map(DrinkCatalogue.init(readingFrom:)) ?? .standard
    let drinks =
      names.isEmpty
      ? catalogue.drinks
      : names.flatMap { name in catalogue[name].map { [$0] } ?? catalogue.suggestions(for: name) }
    for name in names where catalogue[name] == nil && catalogue.suggestions(for: name).isEmpty {
      console.remark("no drink matches \(name); promille drinks lists all")
    }
    try output.print(.drinks(drinks, provenance: provenance()))
  }
}
