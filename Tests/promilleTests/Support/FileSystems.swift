import Foundation

enum FileSystems {
  /// Whether a process may have a file system of its own to mount things in.
  static let canMount =
    (try? Process.run(
      URL(filePath: "/usr/bin/unshare"),
      arguments: ["-rm", "mount", "-t", "tmpfs", "-o", "size=100k", "none", "/mnt"])).map {
      $0.waitUntilExit()
      return $0.terminationStatus == 0
    } ?? false
}
