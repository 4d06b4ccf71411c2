import DayDatabase
import Hummingbird
import Logging
public import ServiceLifecycle
@_spi(StudyDay) import StudyData
import Synchronization

/// What goes over a stream of events, written once for all who hear it.
struct LiveMessage: Sendable {
  /// The number of a change; nil for what follows from changes.
  var seq: Int64?
  /// Whose it is; nil for nobody's.
  var subject: String?
  var action: String?
  var text: ByteBuffer
  /// Whether it only keeps the connection open, and has tokens looked at again.
  var isTick = false

  static var tick: LiveMessage { LiveMessage(text: ByteBuffer(string: ": \n\n"), isTick: true) }

  /// What it is made of, for who may not know all of it.
  fileprivate var event: Event?
  fileprivate var person: Person?
  fileprivate var notice: Notice?

  /// Whether it may change what is concealed from whom.
  var changesSight: Bool { ["settings.change", "protocol.set"].contains(action) }

  /// What somebody may hear of it; nil for nothing.
  func text(for identity: Identity) throws -> ByteBuffer? {
    switch Audience(of: action, subject).hearing(of: identity) {
    case .everything where identity.concealed.isEmpty || event != nil: return text
    case .everything:
      if let person {
        return Self.text("person", try JSONText.text(person.shown(to: identity)))
      }
      return notice?.isShown(to: identity) == true ? text : nil
    case .thatItWas:
      return event.map { Self.text("change", $0.change(isBare: true).text, id: $0.seq) }
    case .nothing: return nil
    }
  }
}

/// Who hears of what: what is not named here, nobody.
struct Audience {
  enum Visibility {
    case everything
    /// That it happened, and not what: pages fetch what they may see.
    case thatItWas
    case nothing
  }

  private let topic: String?
  private let subject: String?

  /// - Parameter action: Of a change; nil for what follows from changes, a person or a notice.
  init(of action: String?, _ subject: String?) {
    topic = action.map { String($0.prefix { $0 != "." }) }
    self.subject = subject
  }

  func hearing(of identity: Identity) -> Visibility {
    func all(_ actions: Action...) -> Visibility {
      actions.allSatisfy { identity.may($0, of: subject) } ? .everything : .nothing
    }
    switch topic {
    case nil, "reading", "drink", "vital", "note", "release":
      guard subject != nil, all(.followEvents) == .everything else { return .nothing }
      let isHidden =
        topic.flatMap(EntryKind.init).map(identity.isBlind)
        ?? (topic == "release" && !identity.concealed.isEmpty)
      return isHidden ? .thatItWas : .everything
    // What is in bookings, and what people say of themselves there.
    case "booking", "waiting", "subject", "letter":
      return subject == nil ? .nothing : all(.followEvents, .seeBookings)
    case "favourite", "choice":
      return subject != nil && subject == identity.subject ? .everything : .nothing
    // Numbers stand on a wall; whose they are does not.
    case "call": return identity.may(.joinQueue, of: subject) ? .everything : .thatItWas
    case "account", "token": return all(.seeAccounts)
    case "sites", "labs", "session_types", "slots": return all(.changeSlots)
    // Forecasts and tasks depend on them, so that every page looks again.
    case "settings", "protocol":
      if identity.may(.changeSettings) { return .everything }
      let reach = Rules.reach(of: identity.role, in: .seeDay)
      return reach == nil || subject != nil && !identity.may(.seeDay, of: subject)
        ? .nothing : .thatItWas
    default: return .nothing
    }
  }
}

/// Tells all pages of every change, and after each what it means for the person.
public final class LiveHub: Service {
  /// How often a line without meaning keeps connections open, and tokens are looked at again.
  private static let tick = Duration.seconds(15)
  /// Changes after which a token may be good no more.
  private static let ends: Set = ["account.revoke", "token.revoke", "subject.withdraw"]

  private let store: DayStore
  private let logger: Logger
  private let person: @Sendable (String) async throws -> Person?
  let messages = Broadcast<LiveMessage>(limit: 2000)
  let streams = StreamLimit<Int64>()
  private let refits: Refits

  /// People who are to be told of again: something changed, or their fit is ready.
  final class Refits: Sendable {
    private struct State {
      var subjects: Set<String> = []
      var wake: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    func add(_ subjects: Set<String>) {
      state.withLock { state in
        state.subjects.formUnion(subjects)
        _ = state.wake?.yield()
      }
    }

    /// Wakes whoever tells of people, when there are any.
    fileprivate func wakes() -> AsyncStream<Void> {
      let (wakes, wake) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      state.withLock { $0.wake = wake }
      return wakes
    }

    fileprivate func takeAll() -> Set<String> {
      state.withLock { state in
        defer { state.subjects = [] }
        return state.subjects
      }
    }
  }

  /// - Parameter person: What is to be said of a person after a change.
  init(
    _ store: DayStore, _ refits: Refits, logger: Logger,
    person: @escaping @Sendable (String) async throws -> Person?
  ) {
    self.store = store
    self.refits = refits
    self.logger = logger
    self.person = person
  }

  /// Follows the changes until the server stops.
  public func run() async throws {
    // Before the server can be told to stop, which ends the streams of changes that there are.
    let changes = store.changes.subscribe()
    await withGracefulShutdownHandler {
      await withTaskGroup { group in
        let wakes = self.refits.wakes()
        group.addTask { await self.refit(wakes) }
        group.addTask {
          while (try? await Task.sleep(for: Self.tick)) != nil {
            self.messages.send(.tick)
          }
        }
        for await events in changes {
          // Who subscribes later reads them in the log.
          if self.messages.count > 0 {
            for event in events { self.messages.send(LiveMessage(event)) }
          }
          // Streams of a token that was ended go now.
          if events.contains(where: { Self.ends.contains($0.action) }) { self.messages.send(.tick) }
          let subjects = Set(events.compactMap(\.subject))
          if !subjects.isEmpty { self.refits.add(subjects) }
        }
        group.cancelAll()
      }
      self.messages.finish()
    } onGracefulShutdown: {
      self.store.changes.finish()
    }
  }

  /// Fits people again whose entries changed; who changes faster than that is fitted to the last change.
  private func refit(_ wakes: AsyncStream<Void>) async {
    // Up to which event, and of which session, all pages were told of people.
    var told: [String: (occasion: String, seq: Int64)] = [:]
    for await _ in wakes where messages.count > 0 {
      let subjects = refits.takeAll()
      let start = ContinuousClock.now
      for subject in subjects.sorted() {
        do {
          guard let person = try await person(subject) else { continue }
          let last = told.updateValue((person.occasion, person.seq), forKey: subject)
          let isKnown = last?.occasion == person.occasion
          // The fit that was told of is ready, as expected.
          if isKnown, last?.seq == person.seq { continue }
          messages.send(
            try LiveMessage(isKnown ? person.changes(since: last?.seq ?? 0) : person))
        } catch is CancellationError {
          return
        } catch {
          logger.error(
            "a person could not be fitted", metadata: ["code": "\(Problem(error).code.rawValue)"])
        }
      }
      // Under a flood of entries, no more than a third of a core goes into fits: entries come first.
      try? await Task.sleep(for: max(.milliseconds(50), start.duration(to: .now) * 2))
    }
  }
}

extension Event {
  /// The change, as sent to permitted subscribers.
  ///
  /// - Parameter isBare: Whether it says that it happened, and not what or, of a number that was called, whose it was and
  ///   who called.
  func change(isBare: Bool = false) -> EventValue {
    let isNobodys = isBare && action.hasPrefix("call.")
    var members: [String: EventValue] = [
      "seq": .integer(seq), "action": .text(action), "by": .text(isNobodys ? "" : actor),
      "at": .text(ISOTime.text(at)),
    ]
    members["record"] = record.map { .text($0.text) }
    if !isBare { members["new"] = new.flatMap { EventValue($0) } }
    if !isNobodys {
      members["subject"] = subject.map(EventValue.text)
      members["station"] = station.map(EventValue.text)
    }
    return .object(members)
  }

  /// The change as far as an account may see it; nil if not permitted.
  func change(for identity: Identity) -> EventValue? {
    switch Audience(of: action, subject).hearing(of: identity) {
    case .everything: change()
    case .thatItWas: change(isBare: true)
    case .nothing: nil
    }
  }
}

extension LiveMessage {
  init(_ event: Event) {
    self.init(
      seq: event.seq, subject: event.subject, action: event.action,
      text: Self.text("change", event.change().text, id: event.seq), event: event)
  }

  init(_ person: Person) throws {
    self.init(
      subject: person.subject, text: Self.text("person", try JSONText.text(person)), person: person)
  }

  /// What pages show at once: a reading that is due, a time that is reached.
  init(_ notice: Notice) throws {
    self.init(
      subject: notice.subject, text: Self.text("notice", try JSONText.text(notice)), notice: notice)
  }

  /// An event of `text/event-stream`; JSON has no line breaks.
  private static func text(_ name: String, _ json: String, id: Int64? = nil) -> ByteBuffer {
    ByteBuffer(string: "\(id.map { "id: \($0)\n" } ?? "")event: \(name)\ndata: \(json)\n\n")
  }
}
