import AlcoholKinetics
import StudyData
public import StudyFiles

extension Report {
  public static func drinks(_ drinks: [CatalogueDrink], provenance: Provenance) -> Report {
    Report(sections: [Section(catalogue, rows: drinks)], provenance: provenance)
  }

  static let catalogue = TableLayout<CatalogueDrink>(
    "drinks", "A row per drink of the catalogue.",
    columns: [
      Column("id", heading: "id", "number of the drink, which can stand for its name", \.id),
      Column("name", heading: "name", "name, in any case", \.name),
      Column(
        "type", oneOf: DrinkType.allCases.map(\.rawValue), heading: "type",
        "kind of drink; none if it has hardly any alcohol", \.type.rawValue),
      Column("volumes_ml", heading: "volumes ml", "usual volumes, separated by blanks") {
        $0.volumes.map { NumberStyle.exact($0.value) }.joined(separator: " ")
      },
      Column(
        "abv_percent", heading: "abv %", style: .significant(3), "alcohol by volume", \.abvPercent),
      Column("ethanol_g", heading: "ethanol g", style: .decimals(1), "ethanol in the first volume")
      {
        drink in
        drink.volumes.first.flatMap {
          EthanolDose.volume($0, abvPercent: drink.abvPercent).mass(forBodyWeight: nil)?.value
        }
      },
    ])
}
