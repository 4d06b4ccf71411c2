import AlcoholKinetics
public import StudyData

/// A study of two people, with nothing wrong.
public enum SmallStudy {
  public static func study() -> Study {
    Study(
      name: "small", instrument: Instrument(name: "AL", resolution: 0.01),
      series: [
        series(of: Subject(id: "ann", sex: .female, age: 30, height: 1.65, weight: 60)),
        series(of: Subject(id: "bob", sex: .male, weight: 80)),
      ],
      inputs: [InputDigest(file: "small/readings.csv", sha256: String(repeating: "0", count: 64))])
  }

  private static func series(of subject: Subject) -> Series {
    Series(
      subject: subject,
      drinks: [
        Drink(time: 0, ethanol: .mass(20)), Drink(time: 1, ethanol: .perBodyWeight(0.25)),
      ],
      readings: [0.5, 1, 1.5, 2].map { time in
        Reading(time: Hours(time), value: time / 4, unit: .breathMilligramsPerLitre)
      })
  }
}
