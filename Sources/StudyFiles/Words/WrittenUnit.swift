package import AlcoholKinetics
import StudyData

extension ConcentrationUnit {
  /// The reason why a text is no unit, and what to write instead.
  package struct Unreadable: Error, CustomStringConvertible {
    package let reason, remedy: String
    package var description: String { "\(reason); \(remedy)" }
  }

  /// Reads a unit as people write it, in the words that headers of spreadsheets have: `bac_mg_per_100ml`, `promille`,
  /// `serum g/L`, `ug/100 ml breath` or `BAC %`. Any unit of the table is known, also one that no study keeps.
  ///
  /// Without a sample a unit is one of whole blood, unless breath is measured in it, too: that has to be said.
  ///
  /// - Throws: ``Unreadable`` for an unknown or ambiguous text.
  package init(written text: String) throws(Unreadable) {
    let units = try Self.meanings(of: text)
    guard let unit = units.first else {
      throw Unreadable(
        reason: "\(text.quoted) is no unit of concentrations",
        remedy:
          "write one that promille explain units lists, as bac_mg_per_100ml, promille or \"serum g/L\""
      )
    }
    guard units.count == 1 else {
      throw Unreadable(
        reason:
          "\(text.quoted) is a unit of \(units.map(\.matrix.rawValue).joined(separator: ", of "))",
        remedy: "write one of \(units.map(\.rawValue).joined(separator: ", "))")
    }
    self = unit
  }

  private static func meanings(of text: String) throws(Unreadable) -> [ConcentrationUnit] {
    let plain = String(text.lowercased().map { "()[],;".contains($0) ? " " : $0 })
    let parts = plain.split(whereSeparator: \.isWhitespace).map(String.init)
    guard !parts.isEmpty, plain.utf8.count <= 80 else { return [] }
    let whole = parts.joined(separator: " ")
    if let unit = ConcentrationUnit(named: whole) { return [unit] }
    for count in 1..<max(2, min(parts.count, 4)) where count < parts.count {
      let splits = [
        (parts.prefix(count), parts.dropFirst(count)), (parts.suffix(count), parts.dropLast(count)),
      ]
      for (sample, rest) in splits {
        guard let matrix = matrix(of: sample.joined(separator: " ")) else { continue }
        let unit = rest.filter { !["in", "of"].contains($0) }.joined(separator: " ")
        // What looks like a sample may be the unit: a header "‰" is one of blood.
        if let unit = ColumnWord.concentration(of: matrix, in: unit)?.statedUnit { return [unit] }
      }
    }
    if let unit = ColumnWord.concentration(of: nil, in: whole)?.statedUnit { return [unit] }
    let units = ColumnWord.concentrations(in: whole).compactMap(\.statedUnit)
    if units.count == 1, let unit = units.first, unit.isBreath {
      throw Unreadable(
        reason: "\(text.quoted) is a unit of breath, but does not say that breath is meant",
        remedy:
          "write \(unit.rawValue) if it is, or convert the values of blood to bac_mg_per_l")
    }
    return units.contains(where: \.isBreath) ? units : Array(units.prefix(1))
  }

  private static func matrix(of sample: String) -> Matrix? {
    samples[sample] ?? ColumnWord.called(sample)?.matrix
  }

  private static let samples = Vocabulary.meanings("sample").compactMapValues(Matrix.init)
}

extension ColumnMeaning {
  /// The unit that the column states; ``unit`` is the one into which studies convert it.
  package var statedUnit: ConcentrationUnit? { ConcentrationUnit(named: name) ?? unit }
}
