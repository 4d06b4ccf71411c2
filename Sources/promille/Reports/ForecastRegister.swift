import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import Population
import Reporting
import StudyData
import StudyFiles
import Validation

/// A forecast that was written down before its outcome was known.
///
/// The file is JSON: `sha256` is the digest of the text of `content`, which holds all that was forecast and what it
/// was made from. Changing a byte of it requires a new digest. To prove more, give the digest, which the command
/// prints, to somebody else.
struct ForecastRegister {
  /// Where the study lies.
  let study: String
  let sha256: String
  let text: String
  private let content: Content

  private struct Content: Codable {
    var kind = Self.kind
    let version: String
    let registeredAt: String
    let study: String
    let inputs: [InputDigest]
    let thresholdGPerKg: Double
    let forecasts: [Entry]

    static let kind = "promille registered forecast"

    /// Requires what every registered forecast has: a digest proves who wrote a file only to those who know it.
    func check() throws {
      guard kind == Self.kind else { throw Damage(message: "its kind is \(kind.quoted)") }
      guard thresholdGPerKg >= 0, thresholdGPerKg.isFinite else {
        throw Damage(message: "its threshold is \(thresholdGPerKg) g/kg")
      }
      var names: Set<[String?]> = []
      for forecast in forecasts {
        if let message = forecast.damage {
          throw Damage(message: "the forecast of \(forecast.subject.quoted) \(message)")
        }
        guard names.insert([forecast.subject, forecast.occasion]).inserted else {
          throw Damage(message: "\(forecast.subject.quoted) is forecast twice")
        }
      }
    }
  }

  /// What was forecast of one series.
  private struct Entry: Codable {
    let subject: String
    let occasion: String?
    let readings: Int
    let lastReadingMin: Double?
    /// Digest of the drinks and the readings that were known.
    let known: String
    /// Quantiles of the time to the threshold, from 0.5 to 99.5 %, in min since the first drink.
    let quantilesMin: [Double]

    /// What is wrong with it, in words; nil if nothing is.
    var damage: String? {
      if quantilesMin.count != ForecastRegister.shares.count {
        return
          "has \(quantilesMin.count) quantiles, and \(ForecastRegister.shares.count) are registered"
      }
      guard quantilesMin.allSatisfy(\.isFinite) else {
        return "has a quantile that is no time"
      }
      guard zip(quantilesMin, quantilesMin.dropFirst()).allSatisfy({ $0 <= $1 }) else {
        return "has quantiles that fall"
      }
      guard readings >= 0, lastReadingMin?.isFinite ?? true else {
        return "knows \(readings) readings, the last at \(lastReadingMin ?? 0) min"
      }
      return nil
    }
  }

  private struct Document: Codable {
    let sha256: String
    let content: String
  }

  private struct Damage: Error { let message: String }

  fileprivate static let shares = (0..<100).map { (Double($0) + 0.5) / 100 }

  init(_ rows: [ForecastRow], study: Study, path: String, provenance: Provenance) {
    let entries = rows.map { row in
      Entry(
        subject: row.series.subject.id, occasion: row.series.occasion, readings: row.knownReadings,
        lastReadingMin: row.lastMinutes,
        known: Self.digest(of: row.series, until: row.lastMinutes),
        quantilesMin: Self.shares.map { row.quantile($0) })
    }
    content = Content(
      version: Release.version, registeredAt: Date.now.ISO8601Format(), study: path,
      inputs: provenance.inputs, thresholdGPerKg: rows.first?.thresholdGPerKg ?? 0,
      forecasts: entries)
    self.study = path
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let inner = (try? encoder.encode(content)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    encoder.outputFormatting.insert(.prettyPrinted)
    sha256 = Self.digest(of: inner)
    let document = Document(sha256: sha256, content: inner)
    text =
      ((try? encoder.encode(document)).map { String(decoding: $0, as: UTF8.self) } ?? "") + "\n"
  }

  /// Larger than any registered forecast.
  private static let longest = 100_000_000

  /// Whether a registered forecast, or a part of one, is at a path.
  static func isThere(_ path: String) -> Bool { text(at: path) != nil }

  /// The text of a registered forecast; nil if there is something else at the path. A part of it will do, since a
  /// file that was cut off is still one.
  private static func text(at path: String) -> String? {
    guard let file = try? FileHandle(forReadingFrom: URL(filePath: path)) else { return nil }
    defer { try? file.close() }
    guard let start = try? file.read(upToCount: 1 << 12), isBegun(start),
      case let rest = (try? file.read(upToCount: longest)) ?? Data()
    else { return nil }
    return String(decoding: start + rest, as: UTF8.self)
  }

  /// Whether bytes begin as a registered forecast does: an object with the text of its content and the digest of that,
  /// in any order.
  private static func isBegun(_ start: Data) -> Bool {
    let words = String(decoding: start, as: UTF8.self).filter { !$0.isWhitespace }
    return words.hasPrefix("{\"content\":\"{") || words.hasPrefix("{\"sha256\":\"")
  }

  /// Reads a registered forecast; nil if there is something else at the path.
  ///
  /// - Throws: ``Refusal`` if it was changed or is damaged.
  init?(ifAt path: String) throws {
    guard let text = Self.text(at: path) else { return nil }
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(text.utf8)) else {
      throw Self.refusal(
        "\(path) is a registered forecast that is cut off or damaged; take the file as it was written"
      )
    }
    guard Self.digest(of: document.content) == document.sha256 else {
      throw Self.refusal(
        "\(path) was changed after it was registered: its digest is not that of its content; take the file as it was "
          + "written")
    }
    do {
      content = try JSONDecoder().decode(Content.self, from: Data(document.content.utf8))
      try content.check()
    } catch let damage as Damage {
      throw Self.refusal(
        "\(path) is no forecast that promille registered: \(damage.message); take the file as it was written"
      )
    } catch {
      throw Self.refusal(
        "\(path) is no forecast that promille registered: its content lacks something, or has it in another form; take "
          + "the file as it was written")
    }
    (study, sha256, self.text) = (content.study, document.sha256, text)
  }

  private static func refusal(_ message: String) -> Refusal {
    Refusal("E_FORECAST_CHANGED", message, ExitStatus.badData)
  }

  /// Scores every forecast against a study; one whose drinks or known readings were changed since is refused.
  func scores(
    in study: Study, _ factors: ConversionFactors
  ) -> (times: [TimeScore], failures: [ForecastReplay.SeriesResult]) {
    var times: [TimeScore] = []
    var failures: [ForecastReplay.SeriesResult] = []
    for entry in content.forecasts {
      guard
        let series = study.series.first(where: {
          $0.subject.id == entry.subject && $0.occasion == entry.occasion
        })
      else { continue }
      guard Self.digest(of: series, until: entry.lastReadingMin) == entry.known else {
        failures.append(
          ForecastReplay.SeriesResult(
            series: series,
            failure: .badOptions(
              "its drinks, or the readings that were known, are not what they were when the forecast was "
                + "registered")))
        continue
      }
      let score = TimeScore(
        series, readings: entry.readings, last: entry.lastReadingMin.map { Hours($0 / 60) },
        Draws(entry.quantilesMin), threshold: GramsPerKilogram(content.thresholdGPerKg), factors)
      if let score { times.append(score) }
    }
    return (times, failures)
  }

  private static func digest(of text: String) -> String {
    Data(text.utf8).withUnsafeBytes(SHA256.hexDigest)
  }

  private static func digest(of series: Series, until minutes: Double?) -> String {
    let end = minutes.map { series.start + Hours($0 / 60) + .roundingSlack }
    let drinks = series.drinks.map { "drink \($0)" }
    let readings = series.readings.filter { reading in end.map { reading.time <= $0 } ?? false }
      .map { "\($0.time.value) \($0.unit.rawValue) \($0.value) \($0.isExcluded)" }
    return digest(of: (drinks + readings).joined(separator: "\n"))
  }
}
