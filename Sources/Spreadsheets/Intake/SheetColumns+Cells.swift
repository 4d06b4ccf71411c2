import AlcoholKinetics
import StudyData
import StudyFiles

extension SheetColumns {
  /// What a column is whose cells carry their units, as `70 kg`: if some carry none, all others must carry the same.
  func inferFromCells(_ word: ColumnWord, _ values: [String]) -> (ColumnMeaning, String)? {
    let cells = values.map(table.quantity)
    var meanings: [ColumnMeaning] = []
    var isBare = false
    for cell in cells {
      guard let cell else { continue }
      guard let unit = cell.unit else {
        isBare = true
        continue
      }
      // A cell with another unit is told in its row.
      guard let meaning = concentration(word, in: unit)?.meaning ?? word.meaning(in: unit) else {
        continue
      }
      if !meanings.contains(meaning) { meanings.append(meaning) }
    }
    guard let first = meanings.first else { return nil }
    guard isBare else { return (first, "unit in the cells") }
    // Of a height the size tells whether it is in cm or m.
    if word == .height {
      let isTold = cells.allSatisfy { cell in
        cell.map { $0.unit != nil || ColumnMeaning.height(of: $0.number) != nil } ?? true
      }
      return isTold ? (first, "unit in the cells; the others by their size") : nil
    }
    return meanings.count == 1 ? (first, "unit in the cells") : nil
  }

  /// The unit that the first cell of a column carries; nil if none does.
  func unitOfCells(of index: Int) -> String? {
    values(of: index).lazy.compactMap { text in
      let plain = text.hasPrefix("<") ? text.dropFirst().trimmed : text
      return table.quantity(plain)?.unit
    }.first
  }

  /// Takes ethanol in g/kg for readings where another column has the dose and none has readings.
  mutating func settleEthanol() {
    guard column(.reading) == nil, wide.columns.isEmpty,
      let ethanol = column(.perKilogram), !ethanol.isStated,
      columns.contains(where: { [.ethanol, .volume, .drink].contains($0.meaning.kind) }),
      ethanol.header.isCalled("ethanol"),
      let meaning = ColumnWord.concentration(of: samples?.matrix ?? .blood, in: "g/kg")
    else { return }
    change(ethanol.index) {
      $0.meaning = meaning
      $0.note = "another column has the dose: taken as readings"
      $0.unit = ethanol.header.unit
    }
  }

  /// The question whether numbers of feet are decimal, or feet and inches as `5.11`; nil if some can be no inches.
  func askForInches(_ column: SheetColumn) -> Diagnostic? {
    let numbers = values(of: column.index).filter { table.number($0) != nil }
    guard let shown = numbers.first(where: { WrittenQuantity.inches(behindFeet: $0) ?? 0 > 0 }),
      numbers.allSatisfy({ WrittenQuantity.inches(behindFeet: $0) != nil })
    else { return nil }
    return Diagnostic(
      .columnUnit, at: place(column.index),
      message: "\(shown.quoted) in the column \(column.title.quoted) may be feet and inches, "
        + "or decimal feet",
      remedy: "say which", statements: column.stated(as: ["height_ft_in", "height_ft"]))
  }

  /// The columns of readings: one, or those of a wide table.
  var readingColumns: [SheetColumn] {
    [column(.reading)].compactMap(\.self) + replicates + wide.columns.map(\.column)
  }

  var readingUnit: ConcentrationUnit? { readingColumns.lazy.compactMap(\.meaning.unit).first }
}

extension ColumnMeaning {
  /// What a height without a unit is, by its size; nil if it is not that of a grown person in cm or m.
  static func height(of number: Double) -> ColumnMeaning? {
    if 1.2...2.3 ~= number { return .named("height_m") }
    return 120...230 ~= number ? .named("height_cm") : nil
  }
}

extension WrittenQuantity {
  /// The inches behind the point of feet, as in 5.11; nil if these digits can be none.
  static func inches(behindFeet text: String) -> Int? {
    let parts = text.trimmed.split(
      omittingEmptySubsequences: false, whereSeparator: { ".,".contains($0) })
    guard (1...2).contains(parts.count), parts.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }),
      let feet = Int(parts[0]), 1..<9 ~= feet
    else { return nil }
    guard parts.count == 2 else { return 0 }
    guard let inches = Int(parts[1]), inches < 12, parts[1].count <= 2 else { return nil }
    return inches
  }

  /// The centimetres of 5.11 as feet and inches, as a number of study files; nil for what is none.
  static func centimetres(feetAndInches text: String) -> String? {
    guard let inches = inches(behindFeet: text),
      let feet = text.trimmed.split(whereSeparator: { ".,".contains($0) }).first.flatMap({
        Double($0)
      })
    else { return nil }
    return ((feet * 12 + Double(inches)) * ValueRule.inchInCentimetres).description
  }
}
