import Foundation
import Reporting
import StudyData
import Synchronization

/// What must not stay behind when the command is ended before its work is done: files and folders that
/// are being written, and programs under way.
enum Drafts {
  private struct State {
    /// C strings, for a signal handler may not ask for memory.
    var paths: [UnsafeMutablePointer<CChar>] = []
    var programs: [pid_t] = []
    /// Whether the command is being ended, so that nothing may be begun.
    var isEnding = false
  }

  private static let state = Mutex(State())
  /// Every signal that ends a command unless somebody listens, and that is no sign of a fault.
  private static let endings = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU,
  ]

  /// Tells figures and temporary folders where to say what they begin.
  static let caretaker: any Caretaker = DraftCaretaker()

  /// Remembers a file, or an empty folder before the files that come into it.
  static func watch(_ path: String) {
    _ = listening
    change { state in
      if let copy = path.withFileName({ strdup($0) }) { state.paths.append(copy) }
    }
  }

  /// Forgets one that is complete, or removed.
  static func forget(_ path: String) {
    change { state in
      let place = path.withFileName { name in
        state.paths.lastIndex { strcmp($0, name) == 0 }
      }
      guard let index = place else { return }
      free(state.paths.remove(at: index))
    }
  }

  /// Starts a program and remembers it, so that no signal comes between.
  static func watch(program start: () -> pid_t?) {
    _ = listening
    change { state in
      if let program = start() { state.programs.append(program) }
    }
  }

  /// Forgets one that has ended.
  static func forget(program: pid_t) {
    change { $0.programs.removeAll { $0 == program } }
  }

  /// Ends and removes all that are remembered, the last first; from then on nothing can be begun.
  ///
  /// A signal handler calls it, at any moment: it asks for no memory, and waits only for other
  /// threads, which hold the lock for no longer than a list takes to change.
  static func remove() {
    withoutSignals {
      while !removeUnlessLocked() { usleep(100) }
    }
  }

  /// False, with nothing done, while another thread changes what is remembered.
  private static func removeUnlessLocked() -> Bool {
    let done: Void? = state.withLockIfAvailable { state in
      state.isEnding = true
      for program in state.programs {
        kill(program, SIGKILL)
        waitpid(program, nil, 0)
      }
      var index = state.paths.count
      while index > 0 {
        index -= 1
        if unlink(state.paths[index]) != 0 { rmdir(state.paths[index]) }
      }
    }
    return done != nil
  }

  /// Changes what is remembered, which no signal interrupts: its handler would wait for ever for the
  /// lock that the thread it runs on holds.
  private static func change(_ body: (inout State) -> Void) {
    withoutSignals {
      let isEnding = state.withLock { state in
        if !state.isEnding { body(&state) }
        return state.isEnding
      }
      // The signal handler runs on another thread, and ends all of them.
      while isEnding { sleep(1) }
    }
  }

  private static func withoutSignals(_ body: () -> Void) {
    var (all, earlier) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &earlier)
    body()
    pthread_sigmask(SIG_SETMASK, &earlier, nil)
  }

  /// Removes them when a signal comes, which then ends the command as it would have; once.
  private static let listening: Void = {
    for number in endings {
      let earlier = signal(number) { number in
        remove()
        // It is held back until the handler returns.
        signal(number, SIG_DFL)
        raise(number)
      }
      // As nohup has it.
      if isIgnoring(earlier) { signal(number, SIG_IGN) }
    }
  }()

  private static func isIgnoring(_ action: (@convention(c) (Int32) -> Void)?) -> Bool {
    unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

/// ``Drafts`` as the library knows it.
private struct DraftCaretaker: Caretaker {
  func begins(_ path: String) { Drafts.watch(path) }
  func ends(_ path: String) { Drafts.forget(path) }
  func begins(process start: () -> pid_t?) { Drafts.watch(program: start) }
  func ends(process: pid_t) { Drafts.forget(program: process) }
}

/// A file, a folder or a database that is being written beside the place that it will take. Unless it is finished, it
/// goes with its object.
final class Draft {
  let path: String
  /// What lies in it or beside it.
  private let parts: [String]
  private var isFinished = false

  /// Makes something under a name that nothing has: what an earlier run that was killed left behind
  /// stands in nobody's way.
  ///
  /// - Parameters:
  ///   - parts: The paths of what will come with it.
  ///   - make: Makes it under a path, and says whether it could; it must not replace anything.
  init(
    beside target: String, parts: (String) -> [String] = { _ in [] }, _ make: (String) -> Bool
  ) throws {
    path = try Self.made(beside: target, make)
    self.parts = parts(path)
    self.parts.forEach(Drafts.watch)
  }

  deinit {
    // What is in a folder goes before it.
    for path in parts + [path] {
      if !isFinished, unlink(path) != 0 { rmdir(path) }
      Drafts.forget(path)
    }
  }

  /// Says that it has taken its place.
  func finish() { isFinished = true }

  private static func made(beside path: String, _ make: (String) -> Bool) throws -> String {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    // With what comes before and behind, a long name would be too long; of one that is not UTF-8 SQLite makes no file.
    let stem = name.utf8.count <= 200 && !String(name).isOddFileName ? name : "promille"
    for _ in 0..<100 {
      let mark = String(UInt32.random(in: 0...(.max)), radix: 36)
      let draft = "\(path.dropLast(name.count)).\(stem).\(mark).part"
      // It is known before it is there, so that no signal comes between.
      Drafts.watch(draft)
      if make(draft) { return draft }
      let reason = errno
      Drafts.forget(draft)
      guard reason == EEXIST else { throw OutputFailure(code: reason) }
    }
    throw OutputFailure(code: EEXIST)
  }
}
