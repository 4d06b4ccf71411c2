public import Foundation

/// Something that reads bytes of strangers, for libFuzzer to try.
public struct FuzzedReader: Sendable {
  let name: String
  let read: @Sendable (Data) throws -> Void
  let refusals: [any Error.Type]

  /// - Parameters:
  ///   - name: What it is called; its examples are in `Fuzz/corpus/NAME`.
  ///   - refusals: The errors that it may throw.
  ///   - read: Reads, and ends the process if what was read breaks a promise.
  public init(
    _ name: String, refusals: any Error.Type..., read: @escaping @Sendable (Data) throws -> Void
  ) {
    self.name = name
    self.refusals = refusals
    self.read = read
  }

  /// Reads bytes. Any error but a refusal ends the process, for libFuzzer to report.
  public func take(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    do {
      try read(Data(bytes: bytes, count: count))
    } catch {
      guard refusals.contains(where: { $0 == type(of: error) }) else {
        fatalError("\(name) threw an error that users cannot act on: \(error)")
      }
      // Messages quote what was read: making them has to work, too.
      _ = "\(error)"
    }
    return 0
  }
}

extension [FuzzedReader] {
  /// The reader that `PROMILLE_FUZZ_READER` names. libFuzzer takes all arguments for itself.
  public var chosen: FuzzedReader {
    let name = ProcessInfo.processInfo.environment["PROMILLE_FUZZ_READER"]
    guard let reader = first(where: { $0.name == name }) else {
      print("Set PROMILLE_FUZZ_READER to one of \(map(\.name).joined(separator: ", ")).")
      exit(64)
    }
    return reader
  }
}

extension Data {
  /// The files of an input that stands for several, such as those of a study folder: separated by the ASCII file
  /// separator, which no reader gives a meaning. As many as are asked for; those that are not there are empty.
  public func files(_ count: Int) -> [Data] {
    let parts = split(separator: 0x1C, maxSplits: count - 1, omittingEmptySubsequences: false)
    return (0..<count).map { $0 < parts.count ? Data(parts[$0]) : Data() }
  }
}
