import Foundation
import Hummingbird

extension RouterGroup<DayContext> {
  /// `GET /openapi.json`: the description of this interface, for programs and their makers.
  func addDescriptionRoute() {
    get("/openapi.json") { request, _ in
      Response.tagged(Data(PackageResources.openapi_json), "application/json", for: request)
    }
  }
}
