import AlcoholKinetics
import GRDB
import StudyData

extension Instrument {
  /// Takes a row of the table of instruments.
  init(_ row: SafeRow) {
    self.init(
      name: row["name"],
      resolution: row["resolution"],
      relativeAccuracy: row["relative_accuracy"],
      limitOfDetection: row["limit_of_detection"],
      mouthAlcoholWindow: (row["mouth_alcohol_window_h"] as Double?).map { Hours($0) })
  }
}
