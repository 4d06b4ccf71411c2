public import AlcoholKinetics
import Foundation

/// Whose glasses, measures and standard drinks are meant where a drink is written without its size.
public enum DrinkRegion: String, CaseIterable, Codable, Hashable, Sendable {
  /// The United States.
  case us
  /// The United Kingdom.
  case uk
  /// The continent of Europe.
  case eu
  /// Australia.
  case au

  /// Its standard drink: 14 g in the United States (NIAAA), a unit of 8 g in the United Kingdom (Department of Health),
  /// 10 g in Australia (NHMRC 2020) and in most of Europe (Kalinowski & Humphreys 2016).
  public var standardDrink: Grams {
    switch self {
    case .us: 14
    case .uk: 8
    case .eu, .au: 10
    }
  }

  /// Of the four columns of a table of sizes, its own.
  fileprivate func size(in sizes: DrinkVocabulary.Sizes) -> Double {
    switch self {
    case .us: sizes.us
    case .uk: sizes.uk
    case .eu: sizes.eu
    case .au: sizes.au
    }
  }
}

/// What people call drinks, vessels and measures, in English, German, Czech, French, Spanish and Swedish, and how much
/// they hold. Data: a new word is a word more in a line.
///
/// Sizes in ml are those of the standard drinks of the United States (NIAAA: 12 fl oz of beer, 1.5 fl oz of spirits), of
/// the measures that British law prescribes (Weights and Measures (Intoxicating Liquor) Order 1988: pint, 25 ml of
/// spirits), of the Australian guidelines (NHMRC 2020: 375 ml, 30 ml), and what is usual in Central Europe. A glass has
/// no size of its own: of wine and the like it is the first in the catalogue.
enum DrinkVocabulary {
  /// A size in ml by region.
  struct Sizes: Hashable, Sendable {
    let us, uk, eu, au: Double

    init(_ us: Double, _ uk: Double, _ eu: Double, _ au: Double) {
      (self.us, self.uk, self.eu, self.au) = (us, uk, eu, au)
    }
  }

  /// A vessel or measure.
  struct Vessel: Hashable, Sendable {
    /// What is in it; nil if that may be anything.
    let type: DrinkType?
    /// What it holds; nil if it has no size of its own.
    let sizes: Sizes?
    /// Whether it is a measure that holds the same everywhere.
    var isMeasure: Bool { sizes.map { Set([$0.us, $0.uk, $0.eu, $0.au]).count == 1 } ?? false }

    func size(in region: DrinkRegion) -> Double? { sizes.map { region.size(in: $0) } }
  }

  /// A drink by the word for it.
  struct Name: Hashable, Sendable {
    /// The drink of the catalogue that it is.
    let name: String
    /// Whether the word names a kind of which the drink is one of several.
    let isKind: Bool
  }

  /// What a word or a few of them say.
  enum Term: Hashable, Sendable {
    case drink(Name)
    case vessels([Vessel])
    /// No alcohol.
    case nothing
    case standardDrink
    case region(DrinkRegion)
    /// A country, by the grams of its standard drink.
    case country(Double)
    case number(Double)
    /// "a", which is one, and in Czech "and".
    case article
    case each, total, and, filler
    case millilitres(Double)
    case percent, proof, grams
  }

  /// What words say; nil if they are not known. They are folded as ``fold(_:)`` does it.
  static func term(_ words: String) -> Term? { terms[words] }

  /// The most words of a term.
  static let longestTerm = 4

  /// Small letters without accents.
  static func fold(_ text: some StringProtocol) -> String {
    text.lowercased().replacing("ß", with: "ss").replacing("ø", with: "o")
      .folding(options: .diacriticInsensitive, locale: nil)
  }

  /// What is served of a kind where no vessel is named; nil if that is what the catalogue has first.
  static func serving(of type: DrinkType, in region: DrinkRegion) -> Double? {
    servings[type].map { region.size(in: $0) }
  }

  /// The most of a kind that is one serving: more, of several drinks, may be all of them together.
  static func largestServing(of type: DrinkType) -> Double {
    switch type {
    case .beer, .cider, .none: 600
    case .wine, .cocktail: 300
    case .spirit, .liqueur: 60
    }
  }

  private static let usBeer = 355.0
  private static let usShot = 44.36

  private static let servings: [DrinkType: Sizes] = [
    .beer: Sizes(usBeer, 568, 500, 375), .cider: Sizes(usBeer, 568, 330, 375),
    .spirit: Sizes(usShot, 25, 40, 30), .liqueur: Sizes(usShot, 25, 20, 30),
  ]

  /// The usual drink of each kind, in the catalogue.
  static func usual(_ type: DrinkType) -> String? {
    switch type {
    case .beer: "lager"
    case .cider: "cider"
    case .wine: "white wine"
    case .spirit: "vodka"
    case .liqueur, .cocktail, .none: nil
    }
  }

  // MARK: Words

  private static let kinds: [(name: String, words: String)] = [
    (
      "lager",
      "beer,beers,bier,biere,pivo,piva,piv,bière,bières,cerveza,cervezas,öl,ale,ales,draft beer,draught beer"
    ),
    ("white wine", "wine,wines,wein,weine,víno,vína,vín,vin,vins,vino,vinos"),
    (
      "vodka",
      "spirit,spirits,liquor,hard liquor,schnaps,schnäpse,schnapps,snaps,spirituose,spirituosen,kořalka,destilát,"
        + "tvrdý alkohol,tvrdého alkoholu,starksprit"
    ),
    ("dark rum", "rum,rums,rumu,rumy,rhum,ron"),
    ("fruit brandy", "obstler,obstbrand,slivovice,pálenka,slivovitz"),
  ]

  private static let names: [(name: String, words: String)] = [
    ("lager", "lagers,helles,ležák,ležáky"), ("pilsner", "pils,pilsener,pilsners"),
    ("wheat beer", "weißbier,weizen,weizenbier,hefeweizen,weißbiere"), ("dark beer", "dunkles,tmavé pivo"),
    (
      "alcohol-free beer",
      "alcohol free beer,alkoholfreies bier,non alcoholic beer,nealkoholické pivo,bière sans alcool"
    ),
    ("shandy", "radler,alster,alsterwasser,panaché"), ("cider", "ciders,cidre,sidra,apfelwein"),
    ("india pale ale", "ipa,ipas"), ("pale ale", "pale ales"), ("stout", "stouts"),
    ("white wine", "weißwein,weißweine,bílé víno,bílého vína,bílého,vin blanc,vino blanco,vitt vin"),
    ("red wine", "rotwein,rotweine,červené víno,červeného vína,červeného,vin rouge,vino tinto,rött vin,rödvin"),
    ("rose wine", "rosé,rosé wine,roséwein,vin rosé,vino rosado,růžové víno"),
    ("sparkling wine", "sekt,prosecco,cava,sparkling,mousserande vin"), ("champagne", "champagner,champagnes"),
    ("wine spritzer", "weinschorle,spritzer,střik"), ("mulled wine", "glühwein,svařené víno,svařák"),
    ("vodka", "wodka,vodkas,vodky"), ("whisky", "whiskey,whiskys,whiskeys,whiskies,bourbon,scotch"),
    ("gin", "gins,ginu"), ("tequila", "tequilas,tequily"), ("brandy", "weinbrand"), ("cognac", "kognak,koňak"),
    ("korn", "doppelkorn"), ("herbal liqueur", "kräuterlikör,bylinný likér"),
    ("gin and tonic", "gin tonic,gin tonics,g and t"),
    ("rum and cola", "rum and coke,rum cola,cuba libre"),
  ]

  private static let vessels: [(type: DrinkType?, sizes: Sizes?, words: String)] = [
    (.spirit, Sizes(usShot, 25, 40, 30), "shot,shots,shooter,shooters,tot,tots,nip,nips"),
    (.liqueur, Sizes(usShot, 25, 40, 30), "shot,shots,shooter,shooters"),
    (.spirit, Sizes(2 * usShot, 50, 40, 60), "double,doubles,doppelter,doppelte"),
    (
      nil, nil,
      "glass,glasses,glas,gläser,sklenice,sklenic,sklenička,sklenka,sklenky,sklenek,dvojka,verre,verres,copa,copas,"
        + "vaso,vasos"
    ),
    (.beer, Sizes(473.176, 568.261, 500, 570), "pint,pints,pinte,pintes"),
    (.cider, Sizes(473.176, 568.261, 500, 570), "pint,pints"),
    (.beer, Sizes(236.588, 284.131, 250, 285), "half pint,half pints,half a pint"),
    (.cider, Sizes(236.588, 284.131, 250, 285), "half pint,half pints,half a pint"),
    (
      .beer, Sizes(usBeer, 440, 500, 375),
      "can,cans,dose,dosen,büchse,büchsen,plechovka,plechovky,plechovek,canette,canettes,lata,latas,burk,burkar"
    ),
    (.cider, Sizes(usBeer, 440, 500, 375), "can,cans"),
    (.beer, Sizes(usBeer, 330, 500, 375), bottle), (.cider, Sizes(usBeer, 500, 330, 375), bottle),
    (.wine, Sizes(750, 750, 750, 750), bottle), (.spirit, Sizes(750, 700, 700, 700), bottle),
    (.beer, Sizes(425, 425, 425, 425), "schooner,schooners"), (.beer, Sizes(285, 285, 285, 285), "middy,middies"),
    (.beer, Sizes(375, 375, 375, 375), "stubby,stubbies"),
    (.beer, Sizes(1000, 1000, 1000, 1000), "maß,tuplák,tupláky"),
    (.beer, Sizes(500, 500, 500, 500), "halbe,halbes,krügerl,půllitr,půllitry,velké pivo,velká piva,stor stark,stora stark"),
    (.beer, Sizes(300, 300, 300, 300), "seidel,seidl,seiterl,malé pivo,malá piva"),
    (.beer, Sizes(200, 200, 200, 200), "pfiff,stange,stangen,caña,cañas"),
    (.beer, Sizes(250, 250, 250, 250), "demi,demis"), (.beer, Sizes(330, 330, 330, 330), "tercio,tercios"),
    (.wine, Sizes(250, 250, 250, 250), "viertel,viertele,vierterl"),
    (.wine, Sizes(125, 125, 125, 125), "achtel,achterl"),
    (.spirit, Sizes(40, 40, 40, 40), "panák,panáky,panáků,velký panák"),
    (.spirit, Sizes(20, 20, 20, 20), "kurzer,kurze,kurzen,stamperl,malý panák,frťan,frťany"),
    (.liqueur, Sizes(40, 40, 40, 40), "panák,panáky,panáků"),
  ]

  private static let bottle =
    "bottle,bottles,flasche,flaschen,láhev,lahve,lahví,flaška,flašky,bouteille,bouteilles,botella,botellas,flaska,"
    + "flaskor"

  /// Grams in the standard drink of countries that have one of their own (Kalinowski & Humphreys, Addiction 2016;
  /// Canada: CCSA 2011).
  private static let countries: [(grams: Double, words: String)] = [
    (8, "iceland,island"),
    (10, "who,ireland,irland,new zealand,nz,france,frankreich,francie,spain,spanien,españa"),
    (10, "netherlands,niederlande,poland,polen,portugal,ube"),
    (12, "germany,deutschland,denmark,dänemark,danmark,finland,finnland,sweden,sverige,schweden,italy,italien"),
    (12, "switzerland,schweiz"), (13.45, "canada,kanada"), (17, "hungary,ungarn"),
    (20, "austria,österreich,japan"),
  ]

  private static let numbers: [(Double, String)] = [
    (0.5, "half,halb,halber,ein halb,půl"),
    (1, "one,eins,jeden,jedna,jedno"), (2, "two,zwei,dva,dvě,deux,dos,två"), (3, "three,drei,tři,trois,tres,tre"),
    (4, "four,vier,čtyři,quatre,cuatro,fyra"), (5, "five,fünf,pět,cinq,cinco,fem"), (6, "six,sechs,šest,seis,sex"),
    (7, "seven,sieben,sedm,sept,siete,sju"), (8, "eight,acht,osm,huit,ocho,åtta"),
    (9, "nine,neun,devět,neuf,nueve,nio"), (10, "ten,zehn,deset,dix,diez,tio"),
  ]

  private static let others: [(Term, String)] = [
    (.nothing, "none,nothing,placebo,water,juice,no alcohol,nichts,keine,kein alkohol,wasser,nic,nealko,voda,žádný"),
    (.nothing, "coke,cola,tonic,soda,lemonade,ice,red bull,sprite,orange,lime"),
    (.nothing, "rien,eau,placebo,nada,agua,inget,vatten,soft drink,soft drinks,orange juice"),
    (
      .standardDrink,
      "standard drink,standard drinks,std drink,std drinks,standardgetränk,standardgetränke,standardgläser,standardní nápoj,standardní nápoje,standardních nápojů,standardní sklenice,verre standard,"
        + "verres standard,bebida estándar,bebidas estándar,standardglas,alcohol unit,alcohol units,unit of alcohol,"
        + "units of alcohol,unit,units,standard unit,standard units"
    ),
    (.region(.us), "us,usa,u s,american,united states"), (.region(.uk), "uk,british,gb,imperial"),
    (.region(.au), "au,australia,australian,australien"), (.region(.eu), "eu,europe,european,metric"),
    (.article, "a,an,ein,eine,einen,un,une,una,uno,en,ett"),
    (.each, "each,je,à la,jeweils,po,chacun,cada,x,times,mal"),
    (.total, "total,in total,altogether,insgesamt,gesamt,zusammen,celkem,au total,en total,totalt,together"),
    (.and, "and,und,et,y,och,plus"),
    (
      .filler,
      "of,the,de,d,du,von,with,mit,at,vol,abv,alc,alcohol,alkohol,ethanol,pure,by volume,v v"
    ),
    (.millilitres(1), "ml,millilitre,millilitres,milliliter,milliliters"), (.millilitres(10), "cl"),
    (.millilitres(100), "dl,dcl,deci"),
    (.millilitres(1000), "l,liter,liters,litre,litres,litr,litry,litru,lt,ltr,litro,litros"),
    // A fluid ounce of the US (NIST SP 811).
    (.millilitres(29.573_529_562_5), "oz,fl oz,floz,ounce,ounces,fluid ounce,fluid ounces,us fl oz"),
    (.percent, "%,percent,prozent,procent,% vol,vol %,% abv,% alc,% v v"), (.proof, "proof"),
    (.grams, "g,gram,grams,gramm,gr"),
  ]

  private static let terms: [String: Term] = {
    var terms: [String: Term] = [:]
    let split = { (words: String) in words.split(separator: ",").map { fold($0) } }
    for (name, words) in kinds {
      for word in split(words) { terms[word] = .drink(Name(name: name, isKind: true)) }
    }
    for (name, words) in names {
      for word in split(words) { terms[word] = .drink(Name(name: name, isKind: false)) }
    }
    for (type, sizes, words) in vessels {
      for word in split(words) {
        var all: [Vessel] = []
        if case .vessels(let known)? = terms[word] { all = known }
        terms[word] = .vessels(all + [Vessel(type: type, sizes: sizes)])
      }
    }
    for (grams, words) in countries {
      for word in split(words) { terms[word] = .country(grams) }
    }
    for (number, words) in numbers {
      for word in split(words) { terms[word] = .number(number) }
    }
    for (term, words) in others {
      for word in split(words) { terms[word] = term }
    }
    return terms
  }()
}
