import AlcoholKinetics
import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Drinks by name.
@Suite struct DrinkCatalogueTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func builtInCatalogueMatchesShippedFile() throws {
    let path = PackageFolder.root.appending(path: "datasets/drinks.json").path
    let shipped = try DrinkCatalogue(readingFrom: path)
    #expect(shipped == .standard)
    #expect(shipped.drinks.count >= 40)
    #expect(Set(shipped.drinks.map(\.id)).count == shipped.drinks.count)
    #expect(Set(shipped.drinks.map(\.name)).count == shipped.drinks.count)
    #expect(Set(shipped.drinks.map(\.type)) == Set(DrinkType.allCases))
    #expect(shipped.drinks.allSatisfy { !$0.volumes.isEmpty })
  }

  @Test func drinksAreFoundByNameAndNumber() {
    let catalogue = DrinkCatalogue.standard
    #expect(catalogue["Lager"] == catalogue["lager"])
    #expect(catalogue["LAGER"]?.abvPercent == 5)
    #expect(catalogue["1"] == catalogue.drinks[0])
    #expect(catalogue["nectar"] == nil)
  }

  /// 500 ml x 5 % x 0.789 = 19.725 g; a cosmopolitan comes in 100 ml of 20 % only: 15.78 g.
  @Test func namesGiveDoses() throws {
    let series = try StudySample(
      drinks: """
        subject,time_min,drink,volume_ml,abv_percent,ethanol_g
        ann,0,lager,500,,
        ann,10,Cosmopolitan,,,
        ann,20,lager,500,6,
        ann,30,homebrew,500,6,
        ann,40,homebrew,,,12.5

        """
    ).onlySeries()
    #expect(series.diagnostics.isEmpty)
    let doses: [EthanolDose] = [
      .volume(500, abvPercent: 5), .volume(100, abvPercent: 20), .volume(500, abvPercent: 6),
      .volume(500, abvPercent: 6), .mass(12.5),
    ]
    #expect(series.drinks.map(\.ethanol) == doses)
    #expect(abs((series.drinks[0].ethanol.mass(forBodyWeight: nil)?.value ?? 0) - 19.725) < 1e-12)
  }

  @Test func nameAloneGivesADose() throws {
    let series = try StudySample(drinks: "subject,time_min,drink\nann,0,martini\n").onlySeries()
    #expect(series.drinks.map(\.ethanol) == [.volume(80, abvPercent: 29)])
  }

  @Test func unknownNamesAreReported() {
    let sample = StudySample(drinks: "subject,time_min,drink,volume_ml\nann,0,nectar,500\n")
    #expect(sample.findings.map(\.code) == [.drink])
    #expect(sample.findings.first?.location.column == 7)
  }

  @Test func ambiguousVolumeIsQueried() {
    let sample = StudySample(drinks: "subject,time_min,drink,volume_ml\nann,0,lager,\n")
    #expect(sample.findings.map(\.code) == [.doseMissing])
    #expect(sample.findings.first?.message.contains("250.0, 330.0, 500.0") == true)
  }

  @Test func ownCatalogueIsUsed() throws {
    try folder.write(
      """
      [{"id": 7, "name": "Nectar", "volumes_ml": [100], "percentage": 10, "type": "wine",
        "active": false}]
      """, to: "own.json")
    let catalogue = try DrinkCatalogue(readingFrom: folder("own.json"))
    #expect(
      catalogue.drinks == [
        CatalogueDrink(
          id: 7, name: "Nectar", volumes: [100], abvPercent: 10, type: .wine, isActive: false)
      ])
  }

  @Test func drinkOfUnknownVolumeIsReported() throws {
    try folder.write(
      #"[{"id": 7, "name": "Nectar", "percentage": 10, "type": "wine"}]"#, to: "own.json")
    var study = StudySample(drinks: "subject,time_min,drink\nann,0,nectar\n").folder()
    study.catalogue = try DrinkCatalogue(readingFrom: folder("own.json"))
    let finding = try study.study().allDiagnostics.first
    #expect(finding?.code == .doseMissing)
    #expect(finding?.message.hasSuffix("the catalogue gives none") == true)
  }

  static let bad = [
    "", "{}", "[1]", "[{}]", "[", #"[{"id": 1, "name": "x", "percentage": 101, "type": "beer"}]"#,
    #"[{"id": 1, "name": "x", "percentage": 5, "type": "ale"}]"#,
    #"[{"id": 1.5, "name": "x", "percentage": 5, "type": "beer"}]"#,
    #"[{"id": 1, "name": "", "percentage": 5, "type": "beer"}]"#,
    #"[{"id": 1, "name": "x", "percentage": 5, "type": "beer", "volumes_ml": [0]}]"#,
    #"[{"id": 1, "name": "x", "percentage": 5, "type": "beer", "active": 1}]"#,
  ]

  @Test(arguments: bad)
  func badCataloguesAreReported(_ text: String) throws {
    try folder.write(text, to: "bad.json")
    let error = #expect(throws: StudyError.self) {
      try DrinkCatalogue(readingFrom: folder("bad.json"))
    }
    #expect(error?.diagnostics.map(\.code) == [.fileFormat])
    #expect(error?.diagnostics.first?.location.line == 1)
  }

  @Test func aMissingCatalogueIsReported() {
    let error = #expect(throws: StudyError.self) {
      try DrinkCatalogue(readingFrom: folder("none.json"))
    }
    #expect(error?.kind == .noInput)
  }
}
