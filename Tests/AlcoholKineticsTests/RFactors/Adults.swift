import AlcoholKinetics

/// Bodies to walk a formula over.
enum Adults {
  /// Adults of 18 to 90 years, 1.40 to 2.10 m and 15 to 40 kg/m2; those of a row differ in weight
  /// only, the lightest first.
  static func rows(_ sex: Sex) -> [[Subject]] {
    var rows: [[Subject]] = []
    for age in [18.0, 50, 90] {
      for height in stride(from: 1.4, through: 2.1, by: 0.1) {
        rows.append(
          stride(from: 15.0, through: 40, by: 2.5).map { index in
            subject(sex, age: age, height: height, bodyMassIndex: index)
          })
      }
    }
    return rows
  }

  static func subject(
    _ sex: Sex, age: Double, height: Double, bodyMassIndex: Double
  ) -> Subject {
    Subject(
      id: "\(sex) of \(age) y, \(height) m, \(bodyMassIndex) kg/m2", sex: sex, age: Years(age),
      height: Metres(height), weight: Kilograms(bodyMassIndex * height * height))
  }
}
