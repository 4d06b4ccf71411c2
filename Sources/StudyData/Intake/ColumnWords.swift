import AlcoholKinetics

/// What people call a column, before it is known in which unit it is.
enum ColumnWord: Hashable, Sendable {
  /// Who, the smaller the rank the surer.
  case subject(rank: Int)
  case occasion, sex, age, birth, height, weight
  case date
  case dateTime
  case time(ColumnMeaning.Kind.Whose)
  /// Since the beginning, and so no time of day.
  case elapsed
  case duration, ethanol, volume, strength, drink, route, detectionLimit, exclusion, uuid
  /// Blood, breath or serum; nil where the header does not say which.
  case alcohol(Matrix?)
  /// What the sample of a row is of, its number, and the unit of another column.
  case matrix, sampleNumber, unit
  /// When a form was sent, which may be long after what it tells.
  case submission

  typealias Matrix = ConcentrationUnit.Matrix

  /// What a header is called without its unit; nil if that is no word for a column.
  static func called(_ words: String) -> ColumnWord? {
    if let word = synonyms[words] { return word }
    // Headers may be many: only what can be read in another way is.
    if words.utf8.contains(where: { $0 >= 0x80 }),
      let word = synonyms[String(words.map { misread[$0] ?? $0 })]
    {
      return word
    }
    return words.utf8.contains { $0 == ASCII.space || $0 == ASCII.slash }
      ? timeOfEither(words) : nil
  }

  /// The time of a drink or a reading, whichever the row has, as `time of drink / reading`.
  private static func timeOfEither(_ words: String) -> ColumnWord? {
    guard words.utf8.count <= 60 else { return nil }
    for separator in ["/", " or ", " and ", " oder ", " und "] {
      let parts = words.split(separator: separator).map(\.trimmed)
      guard parts.count == 2, case .time(let first)? = synonyms[parts[0]], first != .row else {
        continue
      }
      let second = synonyms[parts[1]] ?? synonyms["time of \(parts[1])"]
      switch second {
      case .time(let other) where other != first: return .time(.row)
      case .drink where first == .reading, .alcohol where first == .drink: return .time(.row)
      default: continue
      }
    }
    return nil
  }

  /// Letters of Windows-1250, in which Czech tables are saved, as Windows-1252 shows them: no byte tells the two apart.
  private static let misread: [Character: Character] = [
    "è": "č", "ø": "ř", "ì": "ě", "ù": "ů", "ï": "ď", "ò": "ň",
  ]

  /// What a column may be whose header is a unit and nothing else, in the words of `--map`; nil for other headers.
  static func choices(ofUnit unit: String) -> [String]? {
    // Headers may be many, and most are no units.
    guard unit.utf8.count <= 12 else { return nil }
    if let choices = choicesByUnit[unit] { return choices }
    return unit.contains("/") ? choicesByUnit[concentrationKey(unit)] : nil
  }

  private static let choicesByUnit: [String: [String]] = {
    var choices: [String: [String]] = [:]
    for (words, names) in unitsAlone {
      for word in words { choices[word] = names }
    }
    return choices
  }()

  private static let unitsAlone: [(words: Set<String>, choices: [String])] = [
    (["ml", "millilitres", "milliliters"], ["volume_ml"]), (["cl"], ["volume_cl"]),
    (["g", "gram", "grams", "gramm"], ["ethanol_g"]),
    (["kg", "kgs"], ["weight_kg"]), (["lb", "lbs", "pounds"], ["weight_lb"]),
    (["cm"], ["height_cm"]), (["yrs", "years", "jahre", "let", "roky"], ["age_y"]),
    (["min", "mins", "minutes", "minuten", "minuty"], ["time_min"]),
    (["hrs", "hours", "std", "stunden", "hodiny"], ["time_h"]),
    (["h"], ["time_h", "height_cm"]),
    (["%", "percent"], ["abv_percent", "bac_g_per_100ml"]),
    (["mg/l"], ["brac_mg_per_l", "ignore"]),
    (["g/l", "mg/ml"], ["bac_g_per_l", "serum_g_per_l"]),
    (["mg/100ml", "mg/dl", "mg%"], ["bac_mg_per_100ml", "serum_mg_per_100ml", "ignore"]),
    (["g/100ml", "g/dl", "g%"], ["bac_g_per_100ml", "serum_g_per_100ml", "ignore"]),
  ]

  private static let synonyms: [String: ColumnWord] = {
    let groups: [(ColumnWord, String)] = [
      (
        .subject(rank: 0),
        "subject,subject id,subject no,subject number,subj,subj id,subjid,usubjid"
      ),
      (
        .subject(rank: 1),
        "participant,participant id,participant no,participant number,participant code,volunteer,"
          + "volunteer id,proband,probandin,proband nr,probanden nr,person,person id,patient,patient id,"
          + "versuchsperson,vp,vp nr,vpn,teilnehmer,teilnehmer nr,teilnehmerin,tester,drinker,účastník,ucastnik,"
          + "účastník č,číslo účastníka,účastnice,osoba,dobrovolník,dobrovolnik,pacient,respondent,subjekt,"
          + "sujet,participant n°,volontaire,sujeto,participante,voluntario,voluntaria,paciente,"
          + "försöksperson,deltagare,fp"
      ),
      (.subject(rank: 2), "id,pid,code,participant initials,initials,kód,kod,iniciály"),
      (
        .subject(rank: 3),
        "name,first name,full name,vorname,jméno,jmeno,křestní jméno,nom,prénom,prenom,nombre,namn"
      ),
      (
        .occasion,
        "occasion,occ,session,visit,period,evening,night,day,tag,study day,test day,termin,sitzung,abend,"
          + "versuch,trial,večer,vecer,den,návštěva,navsteva,sezení,sezeni,pokus,"
          + "séance,seance,visite,soirée,sesión,sesion,visita,tillfälle,besök"
      ),
      (
        .sex,
        "sex,m/f,f/m,m/w,w/m,male/female,gender,geschlecht,sex at birth,pohlaví,pohlavi,sexe,sexo,género,"
          + "genero,kön"
      ),
      (.age, "age,alter,věk,vek,âge,edad,ålder"),
      (
        .birth,
        "birth date,date of birth,birthdate,birthday,dob,born,geburtsdatum,geburtstag,datum narození,"
          + "datum narozeni,date de naissance,fecha de nacimiento,födelsedatum"
      ),
      (
        .height,
        "height,body height,ht,size,stature,größe,groesse,körpergröße,koerpergroesse,výška,vyska,"
          + "tělesná výška,telesna vyska,taille,altura,talla,estatura,längd,kroppslängd"
      ),
      (
        .weight,
        "weight,body weight,wt,body mass,mass,bw,gewicht,körpergewicht,koerpergewicht,hmotnost,váha,vaha,"
          + "tělesná hmotnost,telesna hmotnost,poids,peso,peso corporal,vikt,kroppsvikt"
      ),
      (
        .date,
        "date,datum,study date,test date,fecha,sample date,sampling date,collection date,date collected,"
          + "date of test,date of study,versuchsdatum,messdatum"
      ),
      (
        .dateTime,
        "datetime,date time,date and time,date/time,datum uhrzeit,zeitpunkt,"
          + "datum a čas,datum a cas,datum čas,datum cas,datum und uhrzeit,datum/uhrzeit,datum/zeit,datum zeit,"
          + "date et heure,date/heure,date heure,fecha y hora,fecha/hora,fecha hora,datum och tid,datum tid,"
          + "datum/tid,datum/čas"
      ),
      (
        .submission,
        "timestamp,time stamp,submitted,submitted at,submitted on,submission,submission time,submission date,"
          + "submission timestamp,date submitted,time submitted,response time,completion time,completed at,"
          + "recorded at,entry time,created at,zeitstempel,eingereicht am,abgeschickt am,"
          + "fertigstellungszeit,horodateur,date de soumission,marca temporal,fecha de envío,časová značka,"
          + "časové razítko,tidstämpel,tidsstämpel,tidstampel"
      ),
      (
        .matrix,
        "matrix,specimen,specimen type,specimen matrix,sample type,sample matrix,type of sample,type of specimen,"
          + "sample material,material,sample,fluid,body fluid,test type,kind of test,probenart,probenmaterial,"
          + "untersuchungsmaterial,probe,matrice,échantillon,echantillon,type d'échantillon,muestra,"
          + "tipo de muestra,matriz,vzorek,materiál,typ vzorku,matris,prov,provtyp,provmaterial"
      ),
      (
        .sampleNumber,
        "sample no,sample nr,sample number,sample id,sampleid,specimen no,specimen id,specimen number,lab no,"
          + "lab number,lab id,accession,accession no,accession number,barcode,probe nr,proben nr,probennummer,"
          + "probennr,proben id,labornummer,labornr,auftragsnummer,číslo vzorku,numéro d'échantillon,"
          + "número de muestra,provnummer"
      ),
      (
        .unit,
        "unit,units,uom,unit of measure,einheit,einheiten,unité,unite,unidad,unidades,jednotka,enhet"
      ),
      (
        .time(.row),
        "time,when,wann,quand,cuándo,cuando,när,kdy,clock,clock time,time of day,uhrzeit,zeit,hour,t,čas,cas,hodina,temps,heure,tiempo,hora,tid,"
          + "klockslag"
      ),
      (
        .elapsed,
        "elapsed time,elapsed,time elapsed,time since start,time since dose,time after dose,"
          + "time since start of drinking,verstrichene zeit,zeit seit trinkbeginn,temps écoulé,"
          + "tiempo transcurrido"
      ),
      (
        .time(.drink),
        "drink time,drinking time,time of drink,time of drinking,dose time,time of dose,dosing time,"
          + "start,beginn,anfang,début,debut,inicio,comienzo,začátek,zacatek,början,"
          + "heure de la boisson,heure de boisson,heure du verre,heure de consommation,hora de la bebida,"
          + "hora de bebida,hora de consumo,dricktid,tid för dryck,uhrzeit des getränks,zeit des getränks,"
          + "drink taken at,dose taken,dose taken at,time of dosing,drank at,drunk at,"
          + "dose given,dose given at,given at,dosed at,time given,administered,administered at,"
          + "time of administration,administration time,verabreicht,verabreicht um,gabe,zeitpunkt der gabe,"
          + "trinkzeit,trinkbeginn,start of drinking,drinking start,drinking began,"
          + "čas pití,cas piti,čas nápoje,cas napoje,začátek pití,zacatek piti,"
          + "drinking started,started drinking,beginning of drinking,begin of drinking,drink start,dose start,"
          + "drink start time,drinking start time,start time of drinking,time of first drink,"
          + "beginn trinken,beginn des trinkens,trinkstart,trinkanfang,"
          + "début de consommation,début de la consommation,heure de début de consommation,"
          + "inicio de consumo,inicio del consumo,hora de inicio del consumo,drickstart,start av drickande"
      ),
      (
        .time(.drinkEnd),
        "drink end,drinking end,end of drinking,end of drink,drinking ended,drinking stopped,drinking finished,"
          + "stopped drinking,finished drinking,end drinking,stop drinking,drinking stop,drink stop,dose end,"
          + "drink end time,drinking end time,end time of drinking,time of last drink,end of dose,"
          + "trinkende,ende trinken,trinkschluss,ende des trinkens,trinkstopp,"
          + "konec pití,konec piti,ukončení pití,ukonceni piti,dopito,"
          + "fin de consommation,fin de la consommation,heure de fin de consommation,"
          + "fin de consumo,fin del consumo,hora de fin del consumo,drickslut,slut på drickande"
      ),
      (
        .time(.reading),
        "reading time,sample time,sampling time,measurement time,test time,time of test,"
          + "time of reading,time of sample,time of measurement,messzeit,messzeitpunkt,"
          + "collected,collected at,collection time,collection date time,time collected,sampled,"
          + "sampled at,time sampled,drawn,drawn at,time drawn,draw time,time of collection,time of sampling,"
          + "heure de mesure,heure de la mesure,hora de medición,hora de medicion,hora de la medición,provtid,"
          + "mättid,uhrzeit der messung,zeit der messung,zeitpunkt der messung,uhrzeit messung,time of blood sample,"
          + "time of breath test,heure du test,hora de la prueba,"
          + "measured at,time measured,entnahme,entnahmezeit,entnahmezeitpunkt,abnahme,abnahmezeit,blutentnahme,"
          + "zeit der blutentnahme,probenahme,probenahmezeit,gemessen um,heure du prélèvement,prélèvement,"
          + "hora de la muestra,provtagning,provtagningstid,"
          + "blood sample time,breath test time,čas měření,cas mereni,čas odběru,cas odberu,odběr,odber"
      ),
      (
        .duration,
        "duration,drinking duration,duration of drinking,drinking period,dauer,trinkdauer,doba pití,doba piti,"
          + "trvání,trvani,durée,durée de consommation,duración,duracion,duración del consumo,varaktighet,"
          + "drycktid,doba konzumace"
      ),
      (
        .ethanol,
        "ethanol,alcohol dose,ethanol dose,dose,alcohol consumed,ethanol consumed,alcohol amount,"
          + "amount of alcohol,pure alcohol,grams of alcohol,grams of ethanol,alkoholmenge,amt,dosis,dávka,davka,"
          + "quantité d'alcool,alcool pur,cantidad de alcohol,alcohol puro,éthanol,alkoholmängd,"
          + "dávka alkoholu,davka alkoholu,množství alkoholu,mnozstvi alkoholu,čistý alkohol,cisty alkohol,etanol"
      ),
      (
        .volume,
        "volume,drink volume,amount,amount drunk,vol,serving,menge,volumen,trinkmenge,objem,množství,mnozstvi,"
          + "objem nápoje,objem napoje,quantité,cantidad,volym,mängd"
      ),
      (
        .strength,
        "abv,strength,alcohol by volume,alcohol content,alcohol strength,vol%,% vol,alkoholgehalt,"
          + "percentage,alc,obsah alkoholu,degré d'alcool,graduación,graduacion"
      ),
      (
        .drink,
        "drink,beverage,drink name,drink type,type of drink,getränk,getraenk,nápoj,napoj,boisson,bebida,dryck,"
          + "what did you drink,what you drank,what was drunk,was haben sie getrunken,was wurde getrunken,"
          + "co jste pil,co jste pili,qu'avez vous bu,qué bebió,vad drack du"
      ),
      (.route, "route,route of administration"),
      (
        .alcohol(.blood),
        "bac,blood alcohol,blood alcohol concentration,blood alcohol content,blood alcohol level,"
          + "blood ethanol,blood,bak,blutalkohol,blutalkoholkonzentration,baks,promille,per mille,‰,"
          + "promile,hladina alkoholu,hladina alkoholu v krvi,alkohol v krvi,krevní alkohol,krevni alkohol,krev,"
          + "alcoolémie,alcoolemie,taux d'alcoolémie,alcoholemia,alcohol en sangre,blodalkohol"
      ),
      (
        .alcohol(.breath),
        "brac,breath alcohol,breath alcohol concentration,breath alcohol content,breath,brac reading,"
          + "aak,atemalkohol,atemalkoholkonzentration,breathalyser,breathalyzer,dech,"
          + "air expiré,éthylotest,éthylomètre,alcool dans l'air expiré,aire espirado,"
          + "alcohol en aire espirado,utandningsluft,utandningsalkohol,"
          + "alkohol v dechu,dechová zkouška,dechova zkouska,dechový alkohol,dechovy alkohol"
      ),
      (
        .alcohol(.serum),
        "serum alcohol,serum ethanol,serum,plasma,plasma alcohol,plasma ethanol,serum alcohol concentration,sérum,"
          + "serum ethanol concentration,serumalkohol,serumethanol,serumalkoholkonzentration,plasmaalkohol,"
          + "alcool sérique,alcool serique,éthanol sérique,alcoolémie sérique,alkohol v séru,alkohol v seru,"
          + "alkohol v plazmě,alcohol en suero,etanol en suero,alcohol sérico,serumetanol"
      ),
      (
        .alcohol(nil),
        "reading,alcohol concentration,concentration,conc,result,alcohol,ethanol concentration,dv,"
          + "measurement,messwert,value,alkohol,koncentrace,hodnota,výsledek,vysledek,měření,mereni,alcool,taux,"
          + "ergebnis,messergebnis,befund,résultat,resultat,valeur,resultado,valor,värde,varde,mätvärde,"
          + "concentration d'alcool,concentration d'éthanol,concentración de alcohol,alkoholkonzentration,"
          + "ethanolkonzentration,etoh"
      ),
      (
        .detectionLimit,
        "lod,limit of detection,detection limit,lloq,loq,nachweisgrenze,mez detekce"
      ),
      (.exclusion, "exclude,excluded,ausschluss,leave out,vyloučit,vyloucit"),
      (.uuid, "uuid"),
    ]
    var words: [String: ColumnWord] = [:]
    for (word, names) in groups {
      for name in names.split(separator: ",") { words[String(name)] = word }
    }
    return words
  }()

  // MARK: Units

  /// What a column of this word means in a unit; nil if it has no such unit.
  func meaning(in unit: String) -> ColumnMeaning? {
    if case .alcohol(let matrix) = self { return Self.concentration(of: matrix, in: unit) }
    let table: [String: String]
    switch self {
    // In the matrix of the readings, whichever that is.
    case .detectionLimit: return Self.isConcentration(unit) ? .named("lod") : nil
    case .submission:
      guard ColumnWord.dateTime.meaning(in: unit) != nil else { return nil }
      return .named("submitted")
    case .weight: table = Self.weights
    case .height: table = Self.heights
    case .time(let whose): return Self.time(of: whose, in: unit)
    case .elapsed: return Self.time(of: .row, in: unit)
    case .dateTime:
      guard let order = Self.orders[unit.prefix(while: { $0 != " " }).description] else {
        return nil
      }
      return ColumnMeaning.named(order.isEmpty ? "datetime" : "datetime_\(order)")
    case .date:
      guard let order = Self.orders[unit] else { return nil }
      return ColumnMeaning.named(order.isEmpty ? "date" : "date_\(order)")
    case .birth:
      guard let order = Self.orders[unit] else { return nil }
      return ColumnMeaning.named(order.isEmpty ? "birth_date" : "birth_date_\(order)")
    case .duration:
      guard let time = Self.times[unit] else { return nil }
      return ColumnMeaning.named("duration_\(time)")
    case .age:
      table = [
        "y": "age_y", "yr": "age_y", "yrs": "age_y", "years": "age_y", "year": "age_y",
        "jahre": "age_y", "let": "age_y", "roky": "age_y", "roků": "age_y", "ans": "age_y",
        "años": "age_y", "år": "age_y", "j": "age_y", "jahre alt": "age_y", "jhr": "age_y",
        "yo": "age_y", "y/o": "age_y", "y.o": "age_y", "years old": "age_y", "year old": "age_y",
        "rok": "age_y", "r": "age_y", "an": "age_y", "a": "age_y",
      ]
    case .ethanol:
      table = [
        "g": "ethanol_g", "gram": "ethanol_g", "grams": "ethanol_g", "g ethanol": "ethanol_g",
        "g alcohol": "ethanol_g", "gr": "ethanol_g", "mg": "ethanol_mg",
        "g/kg": "ethanol_g_per_kg", "g/kg bw": "ethanol_g_per_kg", "g kg": "ethanol_g_per_kg",
        "g per kg": "ethanol_g_per_kg",
      ]
    case .volume:
      table = [
        "ml": "volume_ml", "millilitres": "volume_ml", "milliliters": "volume_ml",
        "cl": "volume_cl",
        "l": "volume_l", "litres": "volume_l", "liters": "volume_l", "litre": "volume_l",
        "fl oz": "volume_us_fl_oz", "oz": "volume_us_fl_oz", "us fl oz": "volume_us_fl_oz",
      ]
    case .drink:
      // "Drink 2 (ml)" says how much of it.
      return ColumnWord.volume.meaning(in: unit)
    case .strength:
      table = [
        "%": "abv_percent", "% vol": "abv_percent", "vol%": "abv_percent", "vol %": "abv_percent",
        "vol. %": "abv_percent", "percent": "abv_percent", "%abv": "abv_percent",
        "% abv": "abv_percent", "% v/v": "abv_percent", "v/v": "abv_percent",
        "proof": "abv_us_proof",
      ]
    case .sex:
      return ["m/f", "m/w", "f/m", "w/m", "male/female"].contains(unit) ? .named("sex") : nil
    default: return nil
    }
    return table[unit].flatMap(ColumnMeaning.named)
  }

  /// The meanings that a column can have whose unit is not stated, in the words of `--map`.
  var choices: [String] {
    switch self {
    case .weight: ["weight_kg", "weight_lb"]
    case .height: ["height_cm", "height_m", "height_in", "height_ft"]
    case .time(let whose):
      ["time_min", "time_h", "time_h_min", "time", "datetime"].map { whose.prefix + $0 }
    case .elapsed: ["time_min", "time_h", "time_h_min"]
    case .duration: ["duration_min", "duration_h"]
    case .ethanol: ["ethanol_g", "ethanol_g_per_kg"]
    case .volume: ["volume_ml", "volume_cl", "volume_l"]
    case .alcohol(let matrix):
      ConcentrationUnit.allCases.filter { unit in
        matrix.map { unit.matrix == $0 } ?? true
      }.map(\.rawValue)
    default: []
    }
  }

  private static func time(of whose: ColumnMeaning.Kind.Whose, in unit: String) -> ColumnMeaning? {
    let clocks: Set = [
      "hh:mm", "h:mm", "hh:mm:ss", "clock", "24 h", "24h", "uhr", "o'clock", "local", "hhmm",
    ]
    if clocks.contains(unit) { return .named(whose.prefix + "time") }
    return times[unit].flatMap { .named("\(whose.prefix)time_\($0)") }
  }

  /// Units of time, as names of columns end.
  static let times = [
    "min": "min", "mins": "min", "minute": "min", "minutes": "min", "minuten": "min", "h": "h",
    "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "std": "h", "stunden": "h", "hod": "h",
    "hodiny": "h", "hodin": "h", "heures": "h", "horas": "h", "timmar": "h", "tim": "h",
    "minuty": "min", "minut": "min", "minutos": "min", "minuter": "min", "s": "s",
    "sec": "s",
    "seconds": "s",
  ]
  private static let weights = [
    "kg": "weight_kg", "kilo": "weight_kg", "kilos": "weight_kg", "kilogram": "weight_kg",
    "kilograms": "weight_kg", "kgs": "weight_kg", "lb": "weight_lb", "lbs": "weight_lb",
    "pound": "weight_lb", "pounds": "weight_lb", "st": "weight_st", "stone": "weight_st",
  ]
  private static let heights = [
    "cm": "height_cm", "centimetres": "height_cm", "centimeters": "height_cm", "m": "height_m",
    "metre": "height_m", "metres": "height_m", "meter": "height_m", "meters": "height_m",
    "in": "height_in", "inch": "height_in", "inches": "height_in", "\"": "height_in",
    "'": "height_ft", "ft": "height_ft", "feet": "height_ft", "foot": "height_ft",
    "ft in": "height_ft",
    "ft/in": "height_ft", "ft, in": "height_ft", "feet/inches": "height_ft",
    "feet inches": "height_ft",
    "feet and inches": "height_ft",
  ]
  private static let orders = [
    "yyyy-mm-dd": "", "iso": "", "iso 8601": "", "dd/mm/yyyy": "dmy", "dd/mm/yy": "dmy",
    "d/m/y": "dmy", "jj/mm/aaaa": "dmy", "dd/mm/aaaa": "dmy", "dd.mm.rrrr": "dmy",
    "dd-mm-yyyy": "dmy", "dd.mm.yyyy": "dmy", "tt.mm.jjjj": "dmy",
    "mm/dd/yyyy": "mdy",
    "mm/dd/yy": "mdy", "m/d/y": "mdy", "mm-dd-yyyy": "mdy",
  ]

  // Units of concentrations, by what they are of.
  private static let blood: [String: (ConcentrationUnit, Double)] = [
    "g/kg": (.bloodGramsPerKilogram, 1), "mg/g": (.bloodGramsPerKilogram, 1),
    // By mass, as in the law of Germany and the Nordic countries.
    "‰": (.bloodGramsPerKilogram, 1), "promille": (.bloodGramsPerKilogram, 1),
    "per mille": (.bloodGramsPerKilogram, 1), "permille": (.bloodGramsPerKilogram, 1),
    "promile": (.bloodGramsPerKilogram, 1),
    "g/l": (.bloodGramsPerLitre, 1), "mg/ml": (.bloodGramsPerLitre, 1),
    "mg/l": (.bloodGramsPerLitre, 0.001), "mg/100ml": (.bloodMilligramsPer100Millilitres, 1),
    "mg/dl": (.bloodMilligramsPer100Millilitres, 1),
    "mg%": (.bloodMilligramsPer100Millilitres, 1),
    "g/100ml": (.bloodGramsPer100Millilitres, 1), "g/dl": (.bloodGramsPer100Millilitres, 1),
    // In the United States and elsewhere a percentage is grams in 100 ml.
    "%": (.bloodGramsPer100Millilitres, 1), "g%": (.bloodGramsPer100Millilitres, 1),
    "%w/v": (.bloodGramsPer100Millilitres, 1), "percent": (.bloodGramsPer100Millilitres, 1),
    "mmol/l": (.bloodGramsPerLitre, ColumnMeaning.millimoleInGrams),
    "mm": (.bloodGramsPerLitre, ColumnMeaning.millimoleInGrams),
  ]
  private static let breath: [String: (ConcentrationUnit, Double)] = [
    "mg/l": (.breathMilligramsPerLitre, 1), "ug/l": (.breathMilligramsPerLitre, 0.001),
    "ug/100ml": (.breathMicrogramsPer100Millilitres, 1),
    "ug/dl": (.breathMicrogramsPer100Millilitres, 1),
    "ug%": (.breathMicrogramsPer100Millilitres, 1),
    "g/210l": (.breathGramsPer210Litres, 1), "g/210lbreath": (.breathGramsPer210Litres, 1),
    // What breathalysers of the United States show as grams in 100 ml of blood is g/210 L of breath, by law.
    "%": (.breathGramsPer210Litres, 1), "percent": (.breathGramsPer210Litres, 1),
    "g%": (.breathGramsPer210Litres, 1), "g/100ml": (.breathGramsPer210Litres, 1),
    "g/dl": (.breathGramsPer210Litres, 1), "%bac": (.breathGramsPer210Litres, 1),
  ]
  private static let serum: [String: (ConcentrationUnit, Double)] = [
    "g/l": (.serumGramsPerLitre, 1), "mg/ml": (.serumGramsPerLitre, 1),
    "mg/dl": (.serumMilligramsPer100Millilitres, 1),
    "mg/100ml": (.serumMilligramsPer100Millilitres, 1),
    "mg%": (.serumMilligramsPer100Millilitres, 1),
    "g/dl": (.serumGramsPer100Millilitres, 1), "g/100ml": (.serumGramsPer100Millilitres, 1),
    "%": (.serumGramsPer100Millilitres, 1), "g%": (.serumGramsPer100Millilitres, 1),
    "mg/l": (.serumGramsPerLitre, 0.001),
    "mmol/l": (.serumGramsPerLitre, ColumnMeaning.millimoleInGrams),
    "mm": (.serumGramsPerLitre, ColumnMeaning.millimoleInGrams),
  ]

  /// A concentration; where the header does not say in what, the unit may.
  static func concentration(of matrix: Matrix?, in unit: String) -> ColumnMeaning? {
    let key = concentrationKey(unit)
    let found: (ConcentrationUnit, Double)?
    switch matrix {
    case .blood: found = blood[key]
    case .breath: found = breath[key]
    case .serum: found = serum[key]
    case nil:
      // "Alcohol (g)" is a dose.
      if ["g", "gram", "grams", "gramm"].contains(key) { return .named("ethanol_g") }
      // Units that are in use for one of them alone.
      let own: Set = ["g/kg", "‰", "promille", "permille", "promile"]
      found =
        own.contains(key) ? blood[key] : ["ug/100ml", "g/210l"].contains(key) ? breath[key] : nil
    }
    guard let (unit, scale) = found else { return nil }
    let named = ColumnMeaning.concentrations.first { $0.unit == unit && $0.scale == scale }
    return named ?? ColumnMeaning(unit.rawValue, .reading, scale: scale, unit: unit)
  }

  /// Whether a unit is one of concentrations, in whatever was sampled.
  static func isConcentration(_ unit: String) -> Bool {
    [Matrix.blood, .serum, .breath].contains { concentration(of: $0, in: unit) != nil }
  }

  /// Whether a unit can stand beside the word. Ethanol in mg/100 ml is no dose but a reading of something.
  func takes(_ unit: String) -> Bool {
    switch self {
    case .alcohol, .ethanol: meaning(in: unit) != nil || Self.isConcentration(unit)
    default: meaning(in: unit) != nil
    }
  }

  /// A unit as the tables of concentrations have it.
  private static func concentrationKey(_ unit: String) -> String {
    var key = unit.replacing("µ", with: "u").replacing("μ", with: "u").replacing(" per ", with: "/")
      .filter { !$0.isWhitespace && $0 != "_" }
    for (word, short) in [
      ("liters", "l"), ("litres", "l"), ("liter", "l"), ("litre", "l"), ("mcg", "ug"),
    ] {
      key = key.replacing(word, with: short)
    }
    return key
  }
}
