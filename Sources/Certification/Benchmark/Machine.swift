import AlcoholKinetics
import Foundation

/// The machine and build of a benchmark, as far as the system reports them.
package struct Machine: Codable, Hashable, Sendable {
  /// The processor's model; nil if the system does not report it.
  package let cpu: String?
  package let cores: Int
  package let architecture: String
  /// The number of points that fits evaluate at once: 2, 4 or 8.
  package let lanesAtOnce: Int
  package let system: String
  package let compiler: String
  /// `release`, or `debug` where speeds mean nothing.
  package let build: String

  package static var current: Machine {
    Machine(
      cpu: cpuModel, cores: ProcessInfo.processInfo.activeProcessorCount,
      architecture: architecture, lanesAtOnce: Lanes.countAtOnce,
      system: ProcessInfo.processInfo.operatingSystemVersionString, compiler: compiler,
      build: build)
  }

  private static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "other"
    #endif
  }

  /// The compiler's version, which Swift exposes only as a build condition.
  private static var compiler: String {
    #if compiler(>=6.5)
      "Swift 6.5 or newer"
    #elseif compiler(>=6.4)
      "Swift 6.4"
    #elseif compiler(>=6.3)
      "Swift 6.3"
    #else
      "Swift 6.2"
    #endif
  }

  private static var build: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }

  private static var cpuModel: String? {
    #if os(macOS)
      var size = 0
      guard sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0 else { return nil }
      var name = [UInt8](repeating: 0, count: size)
      guard sysctlbyname("machdep.cpu.brand_string", &name, &size, nil, 0) == 0 else { return nil }
      return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    #else
      let info = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
      let line = info?.split(separator: "\n").first { $0.hasPrefix("model name") }
      return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    #endif
  }
}
