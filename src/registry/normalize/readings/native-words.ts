/**
 * Words of company names in other scripts as their Latin names have them: translated, or English words written by
 * ear. In capitals and without marks they are the same; the longer come first.
 */
const parseWords = (table: string): (readonly [native: string, latin: string])[] =>
  table
    .trim()
    .split(/\s*,\s*/)
    .map((pair) => {
      const at = pair.indexOf(' ')
      return [pair.slice(0, at), pair.slice(at + 1)] as const
    })
    .sort(([a], [b]) => b.length - a.length)

/** Whole words. */
export const cyrillicWords = new Map(
  parseWords(`
  банк bank, банка bank, холдинг holding, холдингс holdings, холдингз holdings, група group, группа group, груп group,
  групп group, компания company, компани company, капитал capital, кепитал capital, инвест invest,
  инвестмънт investment, инвестмънтс investments, инвестмент investment, интернешънъл international,
  интернешънал international, интернешнл international, интернэшнл international, интернейшънъл international,
  международна international, международная international, централна central, центральная central,
  централен central, кооперативна cooperative, кооперативная cooperative, търговска commercial, комерс commerce,
  коммерц commerce, национална national, национальная national, национален national, електроникс electronics,
  электроникс electronics, фарма pharma, фармасютикълс pharmaceuticals, моторс motors, мотърс motors,
  сервис service, сервиз service, сървис service, сървисиз services, сервисез services, технолоджи technology,
  технолоджис technologies, технолоджиз technologies, технологии technologies, софтуер software, софтвер software,
  асет asset, асетс assets, мениджмънт management, менеджмент management, трейдинг trading, трейд trade,
  енерджи energy, энерджи energy, енергия energy, энергия energy, фуудс foods, фудс foods, лизинг leasing,
  иншурънс insurance, иншуранс insurance, застраховане insurance, страхование insurance, пропъртис properties,
  юнайтед united, глобал global, дивелопмънт development, девелопмент development, консултинг consulting,
  консалтинг consulting, логистикс logistics, логистик logistics, логистика logistics, солюшънс solutions,
  солюшнс solutions, партнърс partners, партнерс partners, лимитед limited, системс systems, системи systems,
  българия bulgaria, россия russia, украина ukraine, україна ukraine, сърбия serbia, србија serbia,
  македонија macedonia, румъния romania, европа europe, юръп europe`),
)

/** Whole words, without accents. */
export const greekWords = new Map(
  parseWords(`
  τραπεζα bank, μπανκ bank, εθνικη national, ελληνικη hellenic, ελλας hellas, ασφαλιστικη insurance,
  ασφαλειες insurance, ομιλος group, γκρουπ group, εταιρεια company, εταιρια company, συμμετοχων holdings,
  χολντινγκ holding, χολντινγκς holdings, ναυτιλιακη shipping, εμπορικη commercial, βιομηχανια industry,
  βιομηχανιες industries, ενεργεια energy, φαρμακευτικη pharmaceutical, επενδυτικη investment,
  επενδυσεις investments, ιντερνασιοναλ international, διεθνης international,
  τεχνολογιες technologies, καπιταλ capital, σερβισες services, τραστ trust, λιζινγκ leasing, λιμιτεδ limited,
  κυπρου cyprus, κυπρος cyprus, αθηνων athens, πειραιως piraeus, ελλαδος greece, ελλαδα greece, και and`),
)

/** Also at the end of a word: Korean names are written without spaces. */
export const hangulWords = parseWords(`
  홀딩스 holdings, 그룹 group, 전자 electronics, 은행 bank, 자동차 motor, 화학 chemical, 건설 construction,
  중공업 heavy industries, 증권 securities, 생명보험 life insurance, 보험 insurance, 텔레콤 telecom, 에너지 energy,
  코리아 korea, 인터내셔널 international, 인터내셔날 international, 캐피탈 capital, 캐피털 capital,
  파이낸셜 financial, 금융그룹 financial group, 금융지주 financial group, 제약 pharmaceutical, 항공 airlines,
  디스플레이 display, 반도체 semiconductor, 산업 industries, 테크 tech, 테크놀로지 technology, 소프트 soft,
  엔지니어링 engineering, 엔터테인먼트 entertainment, 네트웍스 networks, 시스템 systems, 시스템즈 systems,
  솔루션 solutions, 솔루션즈 solutions, 서비스 service, 바이오로직스 biologics, 바이오 bio, 모비스 mobis`)

/** Also inside a word, in Japanese texts only: elsewhere the characters are read another way. */
export const japaneseWords = parseWords(`
  ホールディングス holdings, ホールディング holding, グループ group, ジャパン japan, バンク bank, 銀行 bank,
  証券 securities, 保険 insurance, 電機 electric, 自動車 motor, 重工業 heavy industries, 工業 industries,
  製薬 pharmaceutical, 化学 chemical, 建設 construction, 不動産 realty, 鉄道 railway, 航空 airlines,
  食品 foods, 物流 logistics, 東京 tokyo, 大阪 osaka, キャピタル capital, インターナショナル international,
  サービス service, サービシズ services, システムズ systems, システム systems, テクノロジーズ technologies,
  テクノロジー technology, エナジー energy, モーターズ motors, モーター motor, フーズ foods,
  トレーディング trading, マネジメント management, パートナーズ partners, ファンド fund, リース leasing,
  コーポレーション corporation, カンパニー company, リミテッド limited, トラスト trust, ファイナンス finance,
  フィナンシャル financial, ファイナンシャル financial, メディカル medical, エレクトロニクス electronics,
  ロジスティクス logistics, アセット asset, インベストメント investment, ソフトウェア software,
  エンタテインメント entertainment, エンターテインメント entertainment, ケミカル chemical`)
