import Foundation
import PackagePlugin

/// Makes the files that a module brings along part of its code: everything in its folders that is neither Swift nor
/// documentation, as `PackageResources.day_html` for `day.html`.
///
/// SwiftPM's own `embedInCode` writes them as arrays of numbers, on which the compiler spends a minute for the pages of
/// the study day. It reads the literals written here in no time.
@main
struct EmbedTexts: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folders = try contents(of: target.directoryURL)
      .filter { isFolder($0) && $0.pathExtension != "docc" }
    let files = try folders.flatMap(contents)
      .filter { !isFolder($0) && $0.pathExtension != "swift" }
    let output = context.pluginWorkDirectoryURL.appending(path: "PackageResources.swift")
    let script = ####"""
      output=$1
      shift
      {
        echo "enum PackageResources {"
        for file; do
          name=$(basename "$file" | tr '.-' '__')
          printf 'static let %s = [UInt8](###"""\n' "$name"
          cat "$file"
          printf '\n"""###.utf8)\n'
        done
        echo "}"
      } >"$output"
      """####
    return [
      .buildCommand(
        displayName: "Embedding texts of \(target.name)", executable: URL(filePath: "/bin/sh"),
        arguments: ["-euc", script, "sh", output.path] + files.map(\.path), inputFiles: files,
        outputFiles: [output])
    ]
  }

  /// What is in a folder, or in the one that a link leads to, by name: the same order on every machine.
  private func contents(of folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: folder.resolvingSymlinksInPath(), includingPropertiesForKeys: nil,
      options: .skipsHiddenFiles
    )
    .map { $0.resolvingSymlinksInPath() }
    .sorted { $0.path < $1.path }
  }

  private func isFolder(_ url: URL) -> Bool {
    (try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
  }
}
