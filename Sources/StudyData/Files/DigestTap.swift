import Synchronization

/// Takes the digest of a file while somebody reads it, for what can be read once only.
final class DigestTap: Sendable {
  private struct State {
    var digest = SHA256()
    /// What does not fill a block yet.
    var rest: [UInt8] = []
  }

  private static let block = 64
  private let state = Mutex(State())

  /// Takes in what has been read.
  func pass(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in
      state.rest.append(contentsOf: bytes)
      let whole = state.rest.count / Self.block * Self.block
      state.rest.withUnsafeBytes { state.digest.update(with: .init(rebasing: $0[..<whole])) }
      state.rest.removeFirst(whole)
    }
  }

  /// The SHA-256 of all that has been read so far, in hexadecimal digits.
  var sha256: String {
    state.withLock { state in
      var digest = state.digest
      return state.rest.withUnsafeBytes { SHA256.hexadecimal(digest.finish(with: $0)) }
    }
  }
}
