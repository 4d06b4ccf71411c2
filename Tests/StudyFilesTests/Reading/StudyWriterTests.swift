import AlcoholKinetics
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// A study that is written is read back unchanged.
@Suite struct StudyWriterTests {
  private static let names = ["ann", "a,b", "say \"so\"", "new\nline", "a;b\tc", "日本"]

  /// A study of whole minutes and centimetres, as people write them.
  private func study(seed: UInt64) -> Study {
    var generator = SeededGenerator(seed: seed)
    let unit = ConcentrationUnit.allCases.randomElement(using: &generator) ?? .serumGramsPerLitre
    let isIdentified = seed % 3 == 0
    var series = Self.names.map { name in
      Series(
        subject: Subject(
          id: name, sex: .female, age: Years(Double(Int.random(in: 18...80, using: &generator))),
          height: Metres(centimetres: Double(Int.random(in: 150...200, using: &generator))),
          weight: Kilograms(generator.uniform(40...120)),
          covariates: ["fed": name, "x, y": "NA"]),
        occasion: seed % 2 == 0 ? nil : "o, 1",
        drinks: [
          Drink(time: 0, duration: 0.25, ethanol: .mass(Grams(generator.uniform(0...50)))),
          Drink(
            time: 1, ethanol: .perBodyWeight(0.5), route: seed % 4 < 2 ? .oral : .intravenous),
        ],
        readings: (1...9).map { index in
          Reading(
            time: Hours(minutes: Double(index * 7)), value: generator.uniform(0...1), unit: unit,
            limitOfDetection: index == 3 ? 0.01 : nil, isExcluded: index == 4)
        },
        uuids: GivenUUIDs(
          drinks: (0..<2).map { _ in isIdentified ? generator.maybeUUID() : nil },
          readings: (0..<9).map { _ in isIdentified ? generator.maybeUUID() : nil }))
    }
    for index in series.indices where isIdentified {
      series[index].sources = [2: "AL-1, \"overdue\"", 7: "by hand"]
    }
    return Study(
      name: "study", title: "A \"title\"\n\\",
      instrument: Instrument(name: "AL\t1", resolution: 0.01, mouthAlcoholWindow: 0.25),
      series: series)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func aStudyReadBackEqualsTheOneWritten(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("study")
    let written = study(seed: seed)
    for file in try StudyWriter.files(of: written) {
      try folder.write(file.text, to: "study/\(file.name)")
    }
    var read = try StudyReader.read(folder("study"))
    read.inputs = []
    // Readings at random may look odd.
    for index in read.series.indices { read.series[index].diagnostics = [] }
    #expect(read == written)
  }

  @Test func severalUnitsAreRefused() {
    var study = study(seed: 0)
    study.series[0].readings[0].unit =
      study.series[0].readings[0].unit == .serumGramsPerLitre
      ? .bloodGramsPerLitre : .serumGramsPerLitre
    let error = #expect(throws: Problem.self) { try StudyWriter.files(of: study) }
    #expect(error?.code == "E_WRITE_UNITS")
  }

  @Test(arguments: ["", ".", "NA"])
  func invalidNamesAreRefused(_ name: String) {
    var study = study(seed: 0)
    study.series[0].subject.id = name
    let error = #expect(throws: Problem.self) { try StudyWriter.files(of: study) }
    #expect(error?.code == "E_WRITE_NAME")
  }

  @Test(arguments: [["AGE_Y"], ["Height_CM"], ["SUBJECT"], ["diet", "Diet "], [""]])
  func covariatesNamedLikeColumnsAreRefused(_ names: [String]) {
    var study = study(seed: 0)
    for name in names { study.series[0].subject.covariates[name] = "1" }
    let error = #expect(throws: Problem.self) { try StudyWriter.files(of: study) }
    #expect(error?.code == "E_WRITE_NAME")
  }

  @Test func aTableOfEventsWithTwoAgesIsRefusedAsAFolder() throws {
    let study = try EventSample(
      "ID,TIME,AMT,DV,SEX,AGE,AGE_Y,HT,WT\n1,0,30,.,m,30,31,170,70\n1,1,.,0.4,m,30,31,170,70\n"
    ).read()
    #expect(throws: Problem.covariateName("AGE_Y")) { try StudyWriter.files(of: study) }
  }
}
