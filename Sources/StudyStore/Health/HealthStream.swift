import Foundation

/// A stream of XML without its declaration of a document type, that ends where its parser must not go
/// on.
final class HealthStream: InputStream {
  /// More than any prolog: Apple's has 15 kB.
  private static let limit = 1 << 20

  private let source: InputStream
  private var prolog: [UInt8] = []
  private var given = 0

  /// Whether the text is not in UTF-8; then it ends at once.
  private(set) var isOtherEncoding = false
  /// Why the stream ended before its end.
  private(set) var problem: MarkupCheck.Problem?
  /// Whether the source could not be read to its end.
  private(set) var isUnreadable = false

  private var check = MarkupCheck()

  init(_ source: InputStream) {
    self.source = source
    super.init(data: Data())
  }

  override func open() {
    source.open()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while prolog.count < Self.limit {
      let count = source.read(&buffer, maxLength: buffer.count)
      isUnreadable = count < 0
      guard count > 0 else { break }
      prolog += buffer[..<count]
      switch XMLProlog.blank(&prolog) {
      case .isIncomplete: continue
      case .isBlanked: return
      case .isOtherEncoding:
        isOtherEncoding = true
        prolog = []
        return
      }
    }
    // No element comes: what is there must not be parsed, since it may declare something.
    prolog = []
    source.close()
  }

  override func close() {
    source.close()
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    guard !isOtherEncoding, !prolog.isEmpty, problem == nil else { return 0 }
    let count =
      given < prolog.count
      ? copyProlog(buffer, maxLength) : source.read(buffer, maxLength: maxLength)
    isUnreadable = count < 0
    guard count >= 0 else { return count }
    do throws(MarkupCheck.Problem) {
      let block = UnsafeRawBufferPointer(start: buffer, count: count)
      try check.check(block, isWhole: count == 0)
      return count
    } catch {
      problem = error
      return 0
    }
  }

  private func copyProlog(_ buffer: UnsafeMutablePointer<UInt8>, _ maxLength: Int) -> Int {
    let count = min(maxLength, prolog.count - given)
    prolog.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      buffer.update(from: start + given, count: count)
    }
    given += count
    return count
  }

  override var hasBytesAvailable: Bool {
    given < prolog.count || (!prolog.isEmpty && source.hasBytesAvailable)
  }
}
