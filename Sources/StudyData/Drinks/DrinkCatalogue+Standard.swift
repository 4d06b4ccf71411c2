import AlcoholKinetics

extension DrinkCatalogue {
  /// Generic drinks with usual volumes and strengths: what `datasets/drinks.json` holds.
  ///
  /// Written out, so that the command has them wherever it is installed.
  public static let standard = DrinkCatalogue(
    drinks: [
      CatalogueDrink(1, "alcohol-free beer", [330, 500], 0.4, .none),
      CatalogueDrink(2, "alcohol-free wine", [125, 200], 0.3, .none),
      CatalogueDrink(3, "kombucha", [330], 0.5, .none),
      CatalogueDrink(4, "light beer", [330, 500], 3.5, .beer),
      CatalogueDrink(5, "lager", [250, 330, 500], 5, .beer),
      CatalogueDrink(6, "pilsner", [330, 400, 500], 4.8, .beer),
      CatalogueDrink(7, "wheat beer", [300, 500], 5.4, .beer),
      CatalogueDrink(8, "dark beer", [330, 500], 5, .beer),
      CatalogueDrink(9, "bitter", [284, 568], 4, .beer),
      CatalogueDrink(10, "pale ale", [330, 568], 5.2, .beer),
      CatalogueDrink(11, "india pale ale", [330, 440], 6.5, .beer),
      CatalogueDrink(12, "stout", [284, 568], 4.2, .beer),
      CatalogueDrink(13, "imperial stout", [330], 10, .beer),
      CatalogueDrink(14, "bock", [330, 500], 7, .beer),
      CatalogueDrink(15, "tripel", [330], 9, .beer),
      CatalogueDrink(16, "shandy", [330, 500], 2.5, .beer),
      CatalogueDrink(17, "malt liquor", [355, 473], 7, .beer, isActive: false),
      CatalogueDrink(18, "cider", [330, 500, 568], 4.5, .cider),
      CatalogueDrink(19, "dry cider", [330, 500], 6, .cider),
      CatalogueDrink(20, "perry", [330, 500], 5, .cider),
      CatalogueDrink(21, "white wine", [125, 175, 200, 750], 12, .wine),
      CatalogueDrink(22, "red wine", [125, 175, 200, 750], 13, .wine),
      CatalogueDrink(23, "rose wine", [125, 175, 200, 750], 12, .wine),
      CatalogueDrink(24, "sparkling wine", [100, 125, 750], 11.5, .wine),
      CatalogueDrink(25, "champagne", [100, 125, 750], 12, .wine),
      CatalogueDrink(26, "wine spritzer", [200, 250], 6, .wine),
      CatalogueDrink(27, "mulled wine", [200], 10, .wine),
      CatalogueDrink(28, "sherry", [50, 75], 17, .wine),
      CatalogueDrink(29, "port", [50, 75], 20, .wine),
      CatalogueDrink(30, "vermouth", [50, 100], 16, .wine),
      CatalogueDrink(31, "sake", [60, 180], 15, .wine),
      CatalogueDrink(32, "mead", [100, 200], 12, .wine),
      CatalogueDrink(33, "cream liqueur", [20, 50], 17, .liqueur),
      CatalogueDrink(34, "herbal liqueur", [20, 40], 35, .liqueur),
      CatalogueDrink(35, "coffee liqueur", [20, 40], 20, .liqueur),
      CatalogueDrink(36, "orange liqueur", [20, 40], 40, .liqueur),
      CatalogueDrink(37, "limoncello", [20, 40], 28, .liqueur),
      CatalogueDrink(38, "egg liqueur", [20, 40], 15, .liqueur),
      CatalogueDrink(39, "anise liqueur", [20, 40], 38, .liqueur),
      CatalogueDrink(40, "vodka", [20, 40], 40, .spirit),
      CatalogueDrink(41, "gin", [20, 25, 40], 40, .spirit),
      CatalogueDrink(42, "white rum", [20, 40], 37.5, .spirit),
      CatalogueDrink(43, "dark rum", [20, 40], 40, .spirit),
      CatalogueDrink(44, "overproof rum", [20], 63, .spirit),
      CatalogueDrink(45, "whisky", [20, 25, 40], 40, .spirit),
      CatalogueDrink(46, "brandy", [20, 40], 38, .spirit),
      CatalogueDrink(47, "cognac", [20, 40], 40, .spirit),
      CatalogueDrink(48, "tequila", [20, 40], 38, .spirit),
      CatalogueDrink(49, "grappa", [20, 40], 40, .spirit),
      CatalogueDrink(50, "raki", [20, 50], 45, .spirit),
      CatalogueDrink(51, "ouzo", [20, 40], 40, .spirit),
      CatalogueDrink(52, "fruit brandy", [20, 40], 42, .spirit),
      CatalogueDrink(53, "korn", [20, 40], 32, .spirit),
      CatalogueDrink(54, "absinthe", [20, 30], 60, .spirit),
      CatalogueDrink(55, "gin and tonic", [200, 250], 9, .cocktail),
      CatalogueDrink(56, "vodka lemon", [200, 250], 9, .cocktail),
      CatalogueDrink(57, "rum and cola", [200, 300], 8, .cocktail),
      CatalogueDrink(58, "whisky sour", [100], 17, .cocktail),
      CatalogueDrink(59, "margarita", [120], 20, .cocktail),
      CatalogueDrink(60, "mojito", [250, 300], 10, .cocktail),
      CatalogueDrink(61, "caipirinha", [200, 250], 15, .cocktail),
      CatalogueDrink(62, "cosmopolitan", [100], 20, .cocktail),
      CatalogueDrink(63, "martini", [80], 29, .cocktail),
      CatalogueDrink(64, "negroni", [90], 24, .cocktail),
      CatalogueDrink(65, "spritz", [200], 8, .cocktail),
      CatalogueDrink(66, "pina colada", [250], 10, .cocktail),
      CatalogueDrink(67, "long island iced tea", [300], 16, .cocktail),
      CatalogueDrink(68, "hard seltzer", [330], 5, .cocktail),
    ])
}

extension CatalogueDrink {
  fileprivate init(
    _ id: Int, _ name: String, _ volumes: [Double], _ abvPercent: Double, _ type: DrinkType,
    isActive: Bool = true
  ) {
    self.init(
      id: id, name: name, volumes: volumes.map { Millilitres($0) }, abvPercent: abvPercent,
      type: type,
      isActive: isActive)
  }
}
