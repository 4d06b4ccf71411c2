/// What a study says of itself, beside its tables.
struct StudyHeader {
  let title: String?
  let instrument: Instrument?
  /// What was found in the descriptor.
  let log: FindingLog

  /// Reads a folder's descriptor, if it has one.
  init(of folder: StudyFolder) {
    var log = FindingLog(file: folder.path(of: .descriptor))
    let package = folder.files[.descriptor].map { DataPackage.read($0, log: &log) }
    title = package?.title
    instrument = package?.instrument
    self.log = log
  }

  /// The header of a study without a descriptor.
  static let none = StudyHeader()

  private init() {
    (title, instrument) = (nil, nil)
    log = FindingLog(file: "")
  }
}
