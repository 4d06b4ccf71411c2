package import Foundation

/// Names of files as texts, whatever bytes they hold.
///
/// A name need not be UTF-8. A byte that belongs to no character is kept as a character of a range for private use, and
/// becomes the byte again where the system is asked; a name that holds such a character is kept byte by byte as well, so
/// that no two names are the same text. What follows takes texts where the C library takes names.
package enum FileName {
  /// The characters that stand for bytes from 0x80 on.
  private static let first: UInt32 = 0x10F800

  /// The text of a name.
  package static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self), !text.isOddFileName { return text }
    var text = String.UnicodeScalarView()
    var rest = bytes[...]
    while let byte = rest.first {
      let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      let character = UnsafeBufferPointer(rebasing: rest.prefix(length))
      if let scalar = String(validating: character, as: UTF8.self)?.unicodeScalars.first,
        character.count == length, !isByte(scalar)
      {
        text.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        if let scalar = Unicode.Scalar(first + UInt32(byte)) { text.append(scalar) }
        rest = rest.dropFirst()
      }
    }
    return String(text)
  }

  /// The target of a symbolic link; nil if there is no link.
  package static func target(ofLink path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = path.withFileName { readlink($0, &target, target.count) }
    guard length > 0 else { return nil }
    return target[..<length].map(UInt8.init(bitPattern:)).withUnsafeBufferPointer(text)
  }

  /// The contents of a file; nil if it cannot be read, for which `errno` has the reason.
  package static func contents(of path: String) -> Data? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    return try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readToEnd() ?? Data()
  }

  /// The arguments of this process, the program not among them.
  package static var arguments: [String] {
    (1..<Int(max(1, CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { argument in
        argument.withMemoryRebound(to: UInt8.self, capacity: strlen(argument)) {
          text(of: UnsafeBufferPointer(start: $0, count: strlen(argument)))
        }
      }
    }
  }

  /// Whether a character stands for a byte.
  fileprivate static func isByte(_ scalar: Unicode.Scalar) -> Bool {
    (first + 0x80...first + 0xFF).contains(scalar.value)
  }

  /// The byte that a character stands for; nil for any other.
  static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
    isByte(scalar) ? UInt8(scalar.value - first) : nil
  }
}

extension String {
  /// Whether it is the name of a file that is not UTF-8, which only the system's own calls take.
  package var isOddFileName: Bool { unicodeScalars.contains(where: FileName.isByte) }

  /// The name as the system has it.
  package func withFileName<Value>(_ body: (UnsafePointer<CChar>) throws -> Value) rethrows -> Value
  {
    guard isOddFileName else { return try withCString(body) }
    let bytes = unicodeScalars.flatMap { scalar in
      FileName.byte(scalar).map { [$0] } ?? Array(String(scalar).utf8)
    }
    return try body(bytes.map(CChar.init(bitPattern:)) + [0])
  }
}

package func open(_ path: String, _ flags: Int32) -> Int32 {
  path.withFileName { open($0, flags) }
}

package func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  path.withFileName { open($0, flags, mode) }
}

package func stat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
  path.withFileName { stat($0, status) }
}

package func lstat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
  path.withFileName { lstat($0, status) }
}

package func access(_ path: String, _ mode: Int32) -> Int32 {
  path.withFileName { access($0, mode) }
}

package func mkdir(_ path: String, _ mode: mode_t) -> Int32 {
  path.withFileName { mkdir($0, mode) }
}

package func rename(_ path: String, _ other: String) -> Int32 {
  path.withFileName { path in other.withFileName { rename(path, $0) } }
}

package func link(_ path: String, _ other: String) -> Int32 {
  path.withFileName { path in other.withFileName { link(path, $0) } }
}

@discardableResult
package func unlink(_ path: String) -> Int32 { path.withFileName { unlink($0) } }

@discardableResult
package func rmdir(_ path: String) -> Int32 { path.withFileName { rmdir($0) } }

/// Writes all bytes to an open file; false, with the reason in `errno`, if that fails.
package func writeAll(_ bytes: some ContiguousBytes, to descriptor: Int32) -> Bool {
  bytes.withUnsafeBytes { bytes in
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = write(
        descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      guard count > 0 || count < 0 && errno == EINTR else { return false }
      rest = rest.dropFirst(max(count, 0))
    }
    return true
  }
}
