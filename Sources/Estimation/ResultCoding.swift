package import Foundation

/// Lossless JSON coding of results. JSON has no infinite numbers, so they are coded as "inf", "-inf" and "nan". (The JSON
/// that the command prints has null instead, since most of its readers do not support these strings.)
extension JSONEncoder {
  /// Encodes results, equal ones as equal bytes.
  package static var forResults: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }
}

extension JSONDecoder {
  /// Decodes what ``Foundation/JSONEncoder/forResults`` encodes.
  package static var forResults: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }
}

/// A result coded as `{"success": ...}` or `{"failure": ...}`; types with such a property get a synthesised `Codable`
/// conformance.
@propertyWrapper
package struct CodedResult<Success: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
  @usableFromInline package let kept: Result<Kept<Success>, SeriesFailure>

  private enum Key: CodingKey { case success, failure }

  /// Wraps a result.
  package init(wrappedValue: Result<Success, SeriesFailure>) {
    self.init(wrappedValue.map { Kept($0) })
  }

  private init(_ kept: Result<Kept<Success>, SeriesFailure>) { self.kept = kept }

  /// The result.
  ///
  /// Inlined, since tables read it for every number, and without specialisation the type is looked up each time.
  @inlinable
  package var wrappedValue: Result<Success, SeriesFailure> {
    get {
      switch kept {
      case .success(let kept): .success(kept.value)
      case .failure(let failure): .failure(failure)
      }
    }
    set { self = CodedResult(wrappedValue: newValue) }
  }

  /// The stored value without a copy; nil for a failure.
  @inlinable
  package var success: Kept<Success>? {
    if case .success(let kept) = kept { kept } else { nil }
  }

  /// Decodes a result.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      container.contains(.failure)
        ? .failure(try container.decode(SeriesFailure.self, forKey: .failure))
        : .success(Kept(try container.decode(Success.self, forKey: .success))))
  }

  /// Encodes what the result holds.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch kept {
    case .success(let kept): try container.encode(kept.value, forKey: .success)
    case .failure(let failure): try container.encode(failure, forKey: .failure)
    }
  }
}

/// A value stored by reference: tables read single numbers of results with dozens of parts, without copying the others.
@usableFromInline
package final class Kept<Value: Hashable & Sendable>: Hashable, Sendable {
  @usableFromInline package let value: Value

  init(_ value: Value) { self.value = value }

  @usableFromInline
  package static func == (left: Kept, right: Kept) -> Bool { left.value == right.value }
  @usableFromInline
  package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
