import DayDatabase
import GRDB
@_spi(StudyDay) import StudyStore

/// Parts of the study that an account is not shown. Every answer, stream and report follows it.
struct Concealment: OptionSet, Hashable, Encodable, Sendable {
  var rawValue = 0

  /// Readings, curves and forecasts; for participants also notes, which may mention readings.
  static let readings = Concealment(rawValue: 1)
  /// Doses, drinks and arms.
  static let doses = Concealment(rawValue: 2)

  /// Names in protocols and answers.
  static let words: KeyValuePairs<String, Concealment> = ["readings": readings, "doses": doses]

  var words: [String] { Self.words.filter { contains($0.value) }.map(\.key) }
}

extension Concealment {
  /// Reads the concealment of a role: none for owners and investigators, who decide; that of the settings for
  /// participants, and of the protocol for others. Doses that a protocol hides are hidden from blinded participants, too.
  init(from role: Role, in db: Database) throws {
    self = []
    guard ![.owner, .investigator].contains(role) else { return }
    let isParticipant = role == .participant
    let isBlind = try db.setting("blind_participants") == 1
    guard !isParticipant || isBlind else { return }
    for (word, part) in Self.words
    where try StudyProtocol.latest(in: db)?.hides(word) == true { insert(part) }
    if isParticipant { insert(.readings) }
  }
}

extension StudyProtocol {
  func hides(_ word: String) -> Bool {
    if case .array(let hidden) = value["hidden"] { hidden.contains(.text(word)) } else { false }
  }
}

extension Identity {
  /// Throws if curves or values derived from doses are concealed.
  func requireSight() throws(Problem) {
    guard concealed.isEmpty else { throw Problem(.notAllowed, Concealment.why) }
  }

  /// Returns true if values of such entries are concealed.
  func isBlind(to kind: EntryKind) -> Bool {
    switch kind {
    case .reading: concealed.contains(.readings)
    case .drink: concealed.contains(.doses)
    case .note: concealed.contains(.readings) && role == .participant
    case .vital: false
    }
  }
}

extension Concealment {
  static let why = "Curves and forecasts are hidden: the study is blinded."
}

extension Person {
  /// Returns the person as an account may see them: entries without concealed values.
  func shown(to identity: Identity) -> Person {
    guard !identity.concealed.isEmpty else { return self }
    var person = self
    let lists: [(EntryKind, WritableKeyPath<Person, [Entry]>)] = [
      (.reading, \.readings), (.drink, \.drinks), (.note, \.notes),
    ]
    for (kind, list) in lists where identity.isBlind(to: kind) {
      person[keyPath: list] = self[keyPath: list].map(\.withoutValue)
    }
    // By their kind: an update lists only the entries that changed, and all conflicts.
    for index in conflicts.indices where conflicts[index].kind.map(identity.isBlind) ?? true {
      person.conflicts[index].values = conflicts[index].values.map { value in
        var value = value
        value.value = value.value.map { _ in .object([:]) }
        return value
      }
    }
    (person.curve, person.forecast, person.pending) = (nil, nil, nil)
    person.whyNot = Concealment.why
    person.asked?.reason = nil
    return person
  }
}

extension Entry {
  fileprivate var withoutValue: Entry {
    var entry = self
    (entry.value, entry.asEntered, entry.gPerKg) = (.object([:]), nil, nil)
    return entry
  }
}

extension Notice {
  /// Returns false for what follows from a forecast or quotes a reason, if readings or doses are concealed.
  func isShown(to identity: Identity) -> Bool {
    identity.concealed.isEmpty || ![.release, .asked].contains(kind)
  }
}

extension DayReport {
  func shown(to identity: Identity) -> DayReport {
    guard !identity.concealed.isEmpty else { return self }
    var report = self
    report.people = people.map { $0.shown(to: identity) }
    report.notices = notices.filter { $0.isShown(to: identity) }
    for list in [\DayReport.decisions, \.corrections] {
      report[keyPath: list] = self[keyPath: list].map { line in
        var line = line
        (line.old, line.new, line.reason) = (nil, nil, nil)
        return line
      }
    }
    return report
  }
}
