import DayDatabase
import Hummingbird
import Logging
public import ServiceLifecycle
@_spi(StudyDay) import StudyData
import Synchronization

/// Message of an event stream, encoded once for all subscribers.
struct LiveMessage: Sendable {
  /// The number of a change; nil for what follows from changes.
  var seq: Int64?
  /// Subject that it belongs to; nil for none.
  var subject: String?
  var action: String?
  var text: ByteBuffer
  /// True for a keep-alive, at which tokens are checked again.
  var isTick = false

  static var tick: LiveMessage { LiveMessage(text: ByteBuffer(string: ": \n\n"), isTick: true) }

  /// Form without values, for subscribers that may know only that something changed; nil if there is none.
  fileprivate var bare: ByteBuffer?

  /// Returns the message as an account may see it; nil if it is hidden.
  func text(for identity: Identity) -> ByteBuffer? {
    switch Audience(of: action, subject).visibility(for: identity) {
    case .everything: text
    case .withoutValues: bare
    case .hidden: nil
    }
  }
}

/// Decides who may see which events; unlisted events are private.
struct Audience {
  enum Visibility {
    case everything
    /// Only that something changed; pages fetch the values that they may see.
    case withoutValues
    case hidden
  }

  private let topic: String?
  private let subject: String?

  /// - Parameter action: Action of a change; nil for a person or a notice, which follow from changes.
  init(of action: String?, _ subject: String?) {
    topic = action.map { String($0.prefix { $0 != "." }) }
    self.subject = subject
  }

  func visibility(for identity: Identity) -> Visibility {
    func ifPermitted(_ actions: Action...) -> Visibility {
      actions.allSatisfy { identity.may($0, of: subject) } ? .everything : .hidden
    }
    switch topic {
    case nil, "reading", "drink", "vital", "note", "release":
      return subject == nil ? .hidden : ifPermitted(.followEvents)
    case "device": return ifPermitted(.enterEntry)
    case "instrument": return ifPermitted(.seeReports)
    // Bookings, and what people state about themselves there.
    case "booking", "waiting", "subject", "letter":
      return subject == nil ? .hidden : ifPermitted(.followEvents, .seeBookings)
    case "favourite", "choice":
      return subject != nil && subject == identity.subject ? .everything : .hidden
    // Numbers stand on a wall; whose they are does not.
    case "call": return identity.may(.joinQueue, of: subject) ? .everything : .withoutValues
    case "account", "token": return ifPermitted(.seeAccounts)
    case "sites", "labs", "session_types", "slots": return ifPermitted(.changeSlots)
    // Forecasts depend on settings, so that every page looks again.
    case "settings":
      return identity.may(.changeSettings)
        ? .everything
        : Rules.reach(of: identity.role, in: .seeDay) == nil ? .hidden : .withoutValues
    default: return .hidden
    }
  }
}

/// Publishes every change to all pages, and after each the person's new state.
public final class LiveHub: Service {
  /// Interval of keep-alive lines and of checking tokens again.
  private static let tick = Duration.seconds(15)
  /// Changes that may revoke a token.
  private static let ends: Set = ["account.revoke", "token.revoke", "subject.withdraw"]

  private let store: DayStore
  private let logger: Logger
  private let person: @Sendable (String) async throws -> Person?
  let messages = Broadcast<LiveMessage>(limit: 2000)
  let streams = StreamLimit<Int64>()
  private let refits: Refits

  /// People whose state must be sent again: something changed, or their forecast is ready.
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

    /// Stream that wakes the sender when people are waiting.
    fileprivate func wakes() -> AsyncStream<Void> {
      let (wakes, wake) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      state.withLock { $0.wake = wake }
      return wakes
    }

    fileprivate func drain() -> Set<String> {
      state.withLock { state in
        defer { state.subjects = [] }
        return state.subjects
      }
    }
  }

  /// - Parameter person: Returns a person's state after a change.
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
    // Subscribes first: a stop ends only the streams that exist.
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
          // Later subscribers read them from the log.
          if self.messages.count > 0 {
            for event in events { self.messages.send(LiveMessage(event)) }
          }
          // Closes the streams of a revoked token at once.
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

  /// Fits people whose entries changed; quick changes of one person are fitted together.
  private func refit(_ wakes: AsyncStream<Void>) async {
    // The session and event up to which pages know each person.
    var lastSent: [String: (occasion: String, seq: Int64)] = [:]
    for await _ in wakes where messages.count > 0 {
      let subjects = refits.drain()
      let start = ContinuousClock.now
      for subject in subjects.sorted() {
        do {
          guard let person = try await person(subject) else { continue }
          let last = lastSent.updateValue((person.occasion, person.seq), forKey: subject)
          let wasSent = last?.occasion == person.occasion
          // Already sent while its forecast was pending.
          if wasSent, last?.seq == person.seq { continue }
          messages.send(
            try LiveMessage(wasSent ? person.changes(since: last?.seq ?? 0) : person))
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
  /// - Parameter isBare: Leaves out values and, for a called number, its subject and the caller.
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
    switch Audience(of: action, subject).visibility(for: identity) {
    case .everything: change()
    case .withoutValues: change(isBare: true)
    case .hidden: nil
    }
  }
}

extension LiveMessage {
  init(_ event: Event) {
    self.init(
      seq: event.seq, subject: event.subject, action: event.action,
      text: Self.text("change", event.change().text, id: event.seq))
    if event.action.hasPrefix("settings.") || event.action.hasPrefix("call.") {
      bare = Self.text("change", event.change(isBare: true).text, id: event.seq)
    }
  }

  init(_ person: Person) throws {
    self.init(subject: person.subject, text: Self.text("person", try JSONText.text(person)))
  }

  /// Makes the message of a notice, such as a reading that is due.
  ///
  /// - Parameter topic: What decides who hears a notice without a subject.
  init(notice: some Encodable, of subject: String?, topic: String? = nil) throws {
    self.init(
      subject: subject, action: topic, text: Self.text("notice", try JSONText.text(notice)))
  }

  /// An event of `text/event-stream`; JSON has no line breaks.
  private static func text(_ name: String, _ json: String, id: Int64? = nil) -> ByteBuffer {
    ByteBuffer(string: "\(id.map { "id: \($0)\n" } ?? "")event: \(name)\ndata: \(json)\n\n")
  }
}
