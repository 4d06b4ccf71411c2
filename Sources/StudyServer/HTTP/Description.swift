import AlcoholKinetics
import Foundation
import Hummingbird
import StudyData

private struct Drinks: Codable {
  struct Drink: Codable {
    var name: String
    var volumeMl: Double
    var abvPercent: Double
  }

  var drinks: [Drink]
}

extension RouterGroup<DayContext> {
  /// `GET /openapi.json`, the description of this interface for programs and their makers; `GET /drinks`, the
  /// catalogue that studies name drinks from.
  func addDescriptionRoutes() {
    get("/openapi.json") { request, _ in
      Response.tagged(Data(PackageResources.openapi_json), "application/json", for: request)
    }
    get("/drinks") { _, context in
      _ = try context.reach(.seeDay)
      let drinks = DrinkCatalogue.standard.drinks.filter(\.isActive).flatMap { drink in
        drink.volumes.map {
          Drinks.Drink(name: drink.name, volumeMl: $0.value, abvPercent: drink.abvPercent)
        }
      }
      return try Response.json(Drinks(drinks: drinks))
    }
  }
}
