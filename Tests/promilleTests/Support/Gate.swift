import Foundation

/// Lets only so many in at once; the others wait in the order in which they came.
actor Gate {
  /// For commands: more at once would only take each other's processor and memory, until some seem
  /// to hang.
  static let ofCommands = Gate(places: 2 * ProcessInfo.processInfo.activeProcessorCount)

  private var places: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(places: Int) {
    self.places = places
  }

  /// Does something once there is a place.
  nonisolated func pass<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    await enter()
    do {
      let value = try await body()
      await leave()
      return value
    } catch {
      await leave()
      throw error
    }
  }

  /// Takes a place, once there is one.
  private func enter() async {
    if places > 0 {
      places -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  /// Leaves a place to whoever has waited longest.
  private func leave() {
    if waiting.isEmpty {
      places += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
