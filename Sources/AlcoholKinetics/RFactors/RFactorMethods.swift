/// The published r-factor methods.
public enum RFactorMethods {
  /// The five methods that Nacar (2021) compares, in the order tables show them.
  ///
  /// This is what a comparison of "all" methods means; ``known(bloodWater:)`` has the others too.
  ///
  /// - Parameter bloodWater: The water content of blood, for the methods built on body water.
  public static func all(bloodWater: BloodWater = .perLitre) -> [any RFactorMethod] {
    [Widmark(), Watson(bloodWater: bloodWater), Forrest(), Seidl(), Ulrich()]
  }

  /// Every method there is: the five of ``all(bloodWater:)``, then the others.
  ///
  /// A new file in `Methods` has its one line here. A test compares the two.
  ///
  /// - Parameter bloodWater: The water content of blood, for the methods built on body water.
  public static func known(bloodWater: BloodWater = .perLitre) -> [any RFactorMethod] {
    all(bloodWater: bloodWater) + [
      WatsonWithoutHeight(bloodWater: bloodWater),
      HumeWeyers(bloodWater: bloodWater),
      PoseyMozayani(),
    ]
  }

  /// The known method of that name, or nil.
  ///
  /// Upper and lower case are the same, and Nacar's spelling `seidel` is accepted for `seidl`.
  public static func named(
    _ name: String, bloodWater: BloodWater = .perLitre
  ) -> (any RFactorMethod)? {
    let canonical = name.lowercased() == "seidel" ? "seidl" : name.lowercased()
    return known(bloodWater: bloodWater).first { $0.name == canonical }
  }
}
