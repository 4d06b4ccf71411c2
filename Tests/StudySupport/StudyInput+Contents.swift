package import Foundation
package import StudyFiles

extension StudyInput {
  /// A folder `study` that holds the files that are not nil.
  package init(_ contents: [(StudyFile, Data?)], blockSize: Int = InputFile.defaultBlockSize) {
    var files: [StudyFile: InputFile] = [:]
    for case (let file, let bytes?) in contents {
      files[file] = InputFile(path: "study/\(file.rawValue)", bytes: bytes, blockSize: blockSize)
    }
    self.init(path: "study", files: files)
  }
}
