import StudyData
import StudyFiles

enum SheetSex {
  /// The meanings of numbers in a header, as `Sex (1=female; 2=male)` or `male: 0, female: 1`.
  static func codes(in header: String) -> [String: String] {
    let parts = header.lowercased().split { !($0.isLetter || $0.isNumber || "♂♀".contains($0)) }
    let told = parts.map(String.init).filter { ["0", "1", "2"].contains($0) || word($0) != nil }
    guard told.count.isMultiple(of: 2) else { return [:] }
    var codes: [String: String] = [:]
    for place in stride(from: 0, to: told.count, by: 2) {
      let (first, second) = (told[place], told[place + 1])
      if let sex = word(second), word(first) == nil {
        codes[first] = sex
      } else if let sex = word(first), word(second) == nil {
        codes[second] = sex
      }
    }
    return codes
  }

  /// `male` or `female`; nil for anything else.
  static func word(_ text: String) -> String? {
    words[text.lowercased()]
  }

  private static let words = Vocabulary.meanings("sex")
  static let spanish = Set(Vocabulary.words("language", "spanish"))

  /// What letters mean of which one alone would be read otherwise: beside H, for hombre, M is mujer.
  private static func settled(by found: Set<String>) -> [String: String] {
    let letters = Set(found.map { $0.lowercased() })
    guard letters.isSuperset(of: ["h", "m"]), !letters.contains("f") else { return [:] }
    return ColumnMeaning.named("sex_hm")?.sexes ?? [:]
  }

  enum Coding: Equatable {
    /// The numbers and letters that need it, and why they are read so.
    case known([String: String], why: String)
    /// What has to be asked: what is written, what it may be, and the names of `--map` that say so.
    case asked(found: String, question: String, names: [String])
  }

  /// The coding of a column with these cells; headers that may be Spanish have M for mujer beside H.
  static func coding(of found: Set<String>, header: String, mayBeSpanish: Bool) -> Coding {
    let numbers = found.intersection(["0", "1", "2"])
    let told = codes(in: header)
    if !numbers.isEmpty {
      if numbers.isSubset(of: told.keys) { return .known(told, why: "as the header says") }
      guard told.isEmpty, numbers == ["1", "2"], let iso = ColumnMeaning.named("sex_1m2f") else {
        let names = numbers.contains("0") ? ["sex_0m1f", "sex_0f1m"] : ["sex_1m2f", "sex_1f2m"]
        let code = numbers == ["0"] ? "0" : numbers == ["2"] ? "2" : "1"
        let isMale = ColumnMeaning.named(names[0])?.sexes[code] == "male"
        return .asked(
          found: numbers.sorted().joined(separator: " and "),
          question: "say whether \(code) is \(isMale ? "male" : "female") (\(names[0])) or "
            + "\(isMale ? "female" : "male") (\(names[1]))", names: names)
      }
      return .known(iso.sexes, why: "ISO 5218")
    }
    let letters = settled(by: found)
    if !letters.isEmpty { return .known(letters, why: "") }
    // M is masculino, too.
    let lower = Set(found.map { $0.lowercased() })
    let others = lower.subtracting(["m"])
    let isBesideSpanish =
      !others.isEmpty && others.isSubset(of: wordsBesideWhichMIsUnclear)
    guard lower.contains("m"), mayBeSpanish && others.isEmpty || isBesideSpanish else {
      return .known([:], why: "")
    }
    return .asked(
      found: others.isEmpty ? "M alone" : (["M"] + others.sorted()).joined(separator: " and "),
      question: "say whether M is male (sex_mf) or mujer (sex_hm)",
      names: ["sex_mf", "sex_hm"])
  }

  /// Words of Spanish that say as little of what M is as nothing at all.
  private static let wordsBesideWhichMIsUnclear = Set(Vocabulary.words("language", "spanish sex"))

  /// Whether cells are sexes whatever their header says: letters of both, or words.
  static func areSexes(_ found: Set<String>) -> Bool {
    guard !found.isEmpty, found.count <= 8 else { return false }
    let sexes = found.map(word)
    guard !sexes.contains(nil) else { return false }
    return Set(sexes.compactMap(\.self)).count == 2 || found.allSatisfy { $0.count > 2 }
  }

  /// Whether a header names the two letters of sexes, as `M/F`.
  static func namesLetters(_ header: String) -> Bool {
    let parts = header.lowercased().split { "/|,; ".contains($0) }.map { String($0) }
    return parts.count == 2 && Set(parts.map(word)).count == 2
      && parts.allSatisfy { word($0) != nil }
  }
}
