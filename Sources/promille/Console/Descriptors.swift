import Foundation

/// Files that may be open at once.
///
/// Where none is left, libdispatch ends the program that wants threads of it. So a command begins with
/// enough of them, or says that it cannot.
enum Descriptors {
  /// What a command needs besides its standard streams: the files of a study and of a result, those of
  /// a database, and three of libdispatch.
  private static let needed = 12

  /// Ends the command unless enough files can be opened.
  static func require(_ console: Console) throws {
    raiseLimit()
    let room = room
    guard room < needed else { return }
    console.error(
      "promille: error E_DESCRIPTORS: only \(room) more files can be opened, but \(needed) may be "
        + "needed; raise the limit with ulimit -n 64")
    throw ExitStatus.cannotCreate
  }

  /// Raises the limit of this process as far as the system lets it, where it is low.
  private static func raiseLimit() {
    var limit = rlimit()
    #if canImport(Darwin)
      let files = RLIMIT_NOFILE
    #else
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    guard getrlimit(files, &limit) == 0, limit.rlim_cur < 64, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = min(64, limit.rlim_max)
    setrlimit(files, &limit)
  }

  /// How many files can be opened, up to what is needed.
  private static var room: Int {
    var opened: [Int32] = []
    while opened.count < needed {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { break }
      opened.append(descriptor)
    }
    for descriptor in opened { close(descriptor) }
    return opened.count
  }
}
