import AlcoholKinetics
import StudyData
import StudyFiles

enum SampleWord: Hashable {
  case of(ConcentrationUnit.Matrix)
  /// What says too little about the blood, as urine.
  case unusable

  init?(_ text: String) {
    guard text.utf8.count <= 60, let word = Self.words[HeaderText(text).words] else { return nil }
    self = word
  }

  private static let words = Vocabulary.meanings("sample").mapValues { word in
    ConcentrationUnit.Matrix(rawValue: word).map(SampleWord.of) ?? .unusable
  }
}

extension SheetColumns {
  struct Samples {
    let index: Int
    let title: String
    /// What most of them are of.
    let matrix: ConcentrationUnit.Matrix
  }

  /// Finds the column that says what the samples are of; a column that names none of these is none.
  mutating func findSamples() {
    for (index, cell) in header.cells.enumerated() {
      let title = cell.trimmed
      guard isCalled(.matrix, title) else { continue }
      let words = values(of: index).map(SampleWord.init)
      let groups = words.compactMap { if case .of(let matrix)? = $0 { matrix } else { nil } }
        .grouped { $0 }
      // Of those that come equally often, the first.
      let most = groups.map(\.values.count).max()
      let usual = groups.filter { $0.values.count == most }.map(\.key)
      // Where nothing can be used, every row is refused.
      let isBlood = words.contains(.unusable) && (usual.isEmpty || usual.contains(.blood))
      guard let matrix = isBlood ? .blood : usual.first else { continue }
      samples = Samples(index: index, title: title, matrix: matrix)
      return
    }
  }

  /// Finds columns that state the unit of the nearest column on their left, or else on their right, by row.
  mutating func findUnitColumns() {
    let header = header
    for (index, cell) in header.cells.enumerated() where isCalled(.unit, cell.trimmed) {
      let units = Set(values(of: index).map { $0.lowercased() })
      guard !units.isEmpty, units.count <= 12 else { continue }
      let left = Array(0..<index).reversed()
      for other in left + Array(header.cells.indices.dropFirst(index + 1))
      where unitColumns[other] == nil && canHave(units, header.cells[other]) {
        unitColumns[other] = index
        break
      }
    }
  }

  private func canHave(_ units: Set<String>, _ header: String) -> Bool {
    let text = HeaderText(header)
    let target = map.target(of: header).flatMap(ColumnMeaning.named)
    guard let word = target.flatMap(ColumnWord.of) ?? text.reading?.word else { return false }
    switch word {
    case .alcohol, .weight, .height, .volume, .duration, .age: break
    case .ethanol:
      // A dose in g is not in mg/100 ml.
      guard let unit = text.reading?.unit, word.meaning(in: unit) != nil else { break }
      return units.allSatisfy { word.meaning(in: $0) != nil }
    default: return false
    }
    return units.allSatisfy(word.takes)
  }

  private func isCalled(_ word: ColumnWord, _ title: String) -> Bool {
    if let target = map.target(of: title) {
      return ColumnMeaning.named(target)?.name == (word == .unit ? "unit" : "matrix")
    }
    return HeaderText(title).reading?.word == word
  }

  /// The first unit that another column states for one.
  func unitOfRows(of index: Int) -> String? {
    unitColumns[index].flatMap { values(of: $0).first?.lowercased() }
  }

  /// The meaning of a column of readings in a unit: nil if it has none; a question if the matrix is not known.
  func concentration(
    _ word: ColumnWord, in unit: String
  ) -> (meaning: ColumnMeaning?, choices: [String])? {
    let own: ConcentrationUnit.Matrix?
    switch word {
    case .alcohol(let matrix): own = matrix
    case .ethanol where word.meaning(in: unit) == nil: own = nil
    default: return nil
    }
    guard ColumnWord.isConcentration(unit) else { return nil }
    if let meaning = ColumnWord.concentration(of: samples?.matrix ?? own, in: unit) {
      return (meaning, [])
    }
    guard own == nil || samples != nil else { return nil }
    return (nil, ColumnWord.concentrations(in: unit).map(\.name))
  }

  /// How messages name the way in which a unit was taken.
  static func note(on unit: String, _ meaning: ColumnMeaning) -> String? {
    switch unit {
    case "%", "percent", "%bac", "% bac":
      return meaning.unit == .breathGramsPer210Litres
        ? "\(unit), taken as g per 210 L of breath" : "\(unit), taken as g per 100 ml"
    case "‰", "promille", "per mille", "permille", "promile": return "\(unit), taken as g/kg"
    default: return nil
    }
  }
}

extension SheetStudy {
  /// Counts a sample once whose row stands twice: one number, one time and one value.
  mutating func dropRepeatedSamples() {
    var (count, first): (Int, SheetEvent?) = (0, nil)
    people.forEachOccasion { events, _ in
      var seen: Set<[String]> = []
      events.removeAll { event in
        guard !event.isDrink, let sample = event.fields["sample"] else { return false }
        let key = [
          sample, "\(event.moment)", event.fields["value"] ?? "", event.unit?.rawValue ?? "",
        ]
        guard !seen.insert(key).inserted else { return false }
        count += 1
        first = first ?? event
        return true
      }
    }
    guard let first else { return }
    let name = first.fields["sample"] ?? ""
    warnings.add(
      .repeatedReading,
      at: place(of: first),
      message: (count == 1 ? "a row repeats" : "\(count) rows repeat")
        + " a sample (\(name.excerpt())) with the same time and value; each was counted once",
      remedy: "if they are measurements of their own, give them numbers of their own")
  }
}
