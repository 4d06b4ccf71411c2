import AlcoholKinetics

/// Reads the rows of `subjects.csv` that are as most rows are, fast.
///
/// A row is plain if
/// - it is in the bytes at hand, with the name of the subject who follows, who is another;
/// - it begins with the subject's name;
/// - sex is `male` or `female`;
/// - age, height and weight are such numbers as ``PlainReadings`` has, and plausible;
/// - names, sex and covariates are printable ASCII without quotes, and without blanks around them;
/// - any field but the name may be empty.
///
/// ``SubjectRows`` would read it in the same way.
struct PlainPeople {
  private enum Role {
    case sex
    case age
    case height
    case weight
    case covariate(String)
  }

  /// What follows the name.
  private let roles: [Role]
  /// Whether there is a column of weights.
  let haveWeights: Bool

  /// Understands a table's columns; nil if the subject is not the first, or some have no name.
  init?(header: Header) {
    guard header.columns.first?.key == "subject" else { return nil }
    var roles: [Role] = []
    for column in header.columns.dropFirst() {
      switch column.key {
      case "sex": roles.append(.sex)
      case "age_y": roles.append(.age)
      case "height_cm": roles.append(.height)
      case "weight_kg": roles.append(.weight)
      case "": return nil
      default: roles.append(.covariate(column.name))
      }
    }
    self.roles = roles
    haveWeights = header.column("weight_kg") != nil
  }

  /// Reads a row.
  ///
  /// - Parameters:
  ///   - fields: What begins with the row.
  ///   - subject: What it says of the subject.
  /// - Returns: The subject's name and how much has been read; nil if the row is not plain.
  func read(
    _ fields: inout PlainFields, into subject: inout Subject
  ) -> (name: PlainName, span: PlainSpan)? {
    guard !fields.isAtEnd, let word = fields.word() else { return nil }
    var found = Subject(id: String(decoding: word, as: UTF8.self))
    for index in 0..<roles.count {
      guard fields.skipSeparator() else { return nil }
      switch roles[index] {
      case .sex:
        if fields.isAtEndOfField { continue }
        guard let sex = fields.word().flatMap(Self.sex) else { return nil }
        found.sex = sex
      case .age:
        if fields.isAtEndOfField { continue }
        guard let number = fields.number(), SubjectRows.ages ~= number else { return nil }
        found.age = Years(number)
      case .height:
        if fields.isAtEndOfField { continue }
        guard let number = fields.number(), SubjectRows.heights ~= number else { return nil }
        found.height = Metres(centimetres: number)
      case .weight:
        if fields.isAtEndOfField { continue }
        guard let number = fields.number(), SubjectRows.weights ~= number else { return nil }
        found.weight = Kilograms(number)
      case .covariate(let name):
        guard let text = fields.plainText() else { return nil }
        found.covariates[name] = String(decoding: text, as: UTF8.self)
      }
    }
    guard fields.skipLineEnd() else { return nil }
    let (name, span) = (PlainName(word), PlainSpan(bytes: fields.position, rows: 1))
    guard fields.isOther(than: name, at: span.bytes) else { return nil }
    subject = found
    return (name, span)
  }

  private static func sex(_ word: UnsafeRawBufferPointer) -> Sex? {
    if word.elementsEqual("male".utf8) { return .male }
    return word.elementsEqual("female".utf8) ? .female : nil
  }
}
