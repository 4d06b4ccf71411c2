@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import Foundation
import HTTPTypes
import Hummingbird

/// The pages of the study day, which are part of the program. They hold no data: everything that they show comes
/// from `/api/v1`, so nobody needs to be signed in to load them.
enum Pages {
  struct File: Sendable {
    let bytes: [UInt8]
    let type: String
    let tag: String

    init(_ bytes: [UInt8], _ type: String) {
      self.bytes = bytes
      self.type = type
      tag = "\"\(Pages.digest(bytes))\""
    }
  }

  /// Content security policy: pages load from this server only, without inline scripts or styles.
  static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    manifest-src 'self'; worker-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'
    """

  static let files: [String: File] = {
    var files = [
      "/": page("Sign in", "signin", PackageResources.index_html, hasHeader: false),
      "/day": page("Day", "day", PackageResources.day_html),
      "/book": page("Booking", "book", PackageResources.book_html),
      "/admin": page("Admin", "admin", PackageResources.admin_html),
      "/board": page("Call board", "board", PackageResources.board_html),
      "/server": page("Server", "server", PackageResources.server_html),
      "/history": page("History", "history", PackageResources.history_html),
      "/report": page("Report", "report", PackageResources.report_html),
      "/icon.svg": File(PackageResources.icon_svg, "image/svg+xml"),
      "/manifest.webmanifest": File(
        PackageResources.manifest_webmanifest, "application/manifest+json"),
      "/assets/day.css": File(PackageResources.day_css, "text/css; charset=utf-8"),
    ]
    for (name, bytes) in scripts {
      files["/assets/\(name).js"] = File(bytes, javascript)
    }
    files["/assets/units.js"] = File(Array(units.utf8), javascript)
    files["/sw.js"] = File(worker(for: files), javascript)
    return files
  }()

  /// Makes a page from the common frame and its own content.
  ///
  /// - Parameters:
  ///   - name: Name of its script and style class.
  ///   - hasHeader: Adds links to the other pages, for signed-in accounts.
  private static func page(
    _ title: String, _ name: String, _ main: [UInt8], hasHeader: Bool = true
  ) -> File {
    let text = filled(
      PackageResources.page_html,
      [
        "title": title, "name": name,
        "header": hasHeader ? String(decoding: PackageResources.header_html, as: UTF8.self) : "",
        "main": String(decoding: main, as: UTF8.self),
      ])
    return File(text, "text/html; charset=utf-8")
  }

  private static func filled(_ resource: [UInt8], _ values: [String: String]) -> [UInt8] {
    let text = values.reduce(String(decoding: resource, as: UTF8.self)) {
      $0.replacing("{{\($1.key)}}", with: $1.value)
    }
    return Array(text.utf8)
  }

  private static let javascript = "text/javascript; charset=utf-8"

  private static let scripts: [String: [UInt8]] = [
    "admin": PackageResources.admin_js, "api": PackageResources.api_js,
    "board": PackageResources.board_js, "book": PackageResources.book_js,
    "card": PackageResources.card_js,
    "chart": PackageResources.chart_js, "clock": PackageResources.clock_js,
    "day": PackageResources.day_js, "entry": PackageResources.entry_js,
    "history": PackageResources.history_js, "instruments": PackageResources.instruments_js,
    "invite": PackageResources.invite_js,
    "live": PackageResources.live_js, "measures": PackageResources.measures_js,
    "outbox": PackageResources.outbox_js, "queue": PackageResources.queue_js,
    "report": PackageResources.report_js,
    "server": PackageResources.server_js, "shell": PackageResources.shell_js,
    "signin": PackageResources.signin_js, "staff": PackageResources.staff_js,
    "store": PackageResources.store_js,
    "ui": PackageResources.ui_js, "uuid": PackageResources.uuid_js,
    "waiting": PackageResources.waiting_js,
  ]

  /// Units as people read them, by the name of the study's column, and what a reading is asked about twice above.
  private static let units: String = {
    func object(_ value: (ConcentrationUnit) -> String) -> String {
      let lines = ConcentrationUnit.allCases.map { "  \($0.rawValue): \(value($0)),\n" }
      return "{\n\(lines.joined())};\n"
    }
    return "export const units = " + object { "\"\($0.label.replacing("ug/", with: "µg/"))\"" }
      + "export const highest = " + object { "\($0.highestPlausible)" }
  }()

  /// Makes the service worker with the list of files and a version that changes with any of them.
  private static func worker(for files: [String: File]) -> [UInt8] {
    let paths = files.keys.sorted()
    let version = digest(Array(paths.map { $0 + (files[$0]?.tag ?? "") }.joined().utf8))
    return filled(
      PackageResources.sw_js, ["version": version, "files": paths.joined(separator: " ")])
  }

  private static func digest(_ bytes: [UInt8]) -> String {
    Event.sha256(Data(bytes)).prefix(12).hexadecimal
  }

  /// Adds `/`, `/day`, `/person/...`, `/history/...`, `/book`, `/board`, `/admin`, `/report`, the service worker and
  /// the files that they load.
  static func addRoutes(to router: Router<DayContext>) {
    var routes = files
    // The script reads the subject from the address.
    routes["/person/:subject"] = files["/day"]
    routes["/history/:subject"] = files["/history"]
    for (path, file) in routes {
      for method in [HTTPRequest.Method.get, .head] {
        router.on(RouterPath(path), method: method) { request, _ in answer(request, file) }
      }
    }
  }

  /// Answers with a file, or 304 if the browser has it already.
  private static func answer(_ request: Request, _ file: File) -> Response {
    var headers: HTTPFields = [
      .contentType: file.type, .eTag: file.tag,
      // Asked for each time, and answered by 304 while it is the same: a new program has new pages at once.
      .cacheControl: "no-cache", .contentSecurityPolicy: policy,
    ]
    if request.has(file.tag) { return Response(status: .notModified, headers: headers) }
    if request.method == .head {
      headers[.contentLength] = String(file.bytes.count)
      return Response(status: .ok, headers: headers)
    }
    return Response(
      status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
  }
}
