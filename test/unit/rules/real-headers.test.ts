import { describe, expect, test } from 'vitest'
import { reportColumns } from '../../../src/pipeline/input/column-report.js'
import { formatColumnLines } from '../../../src/cli/terminal/lookup-text.js'
import type { LookupColumns, LookupRule } from '../../../src/pipeline/input/columns.js'
import { detectColumns } from '../../../src/pipeline/input/detect-columns.js'
import { listPlaceColumns } from '../../../src/pipeline/input/header-and-cells.js'
import { parsePlaceHeader } from '../../../src/core/header-words.js'
import headerWords from '../../../src/core/headers.json' with { type: 'json' }

const cells = (text: string) => text.split('|')

/** Headers as programs export them, with the name and the place that are asked. */
const exports: [program: string, header: string, name: string, location: string][] = [
  [
    'Salesforce accounts',
    'Account ID|Account Name|Type|Billing Street|Billing City|Billing State/Province|Billing Zip/Postal Code|Billing Country|Shipping Street|Shipping City|Shipping State/Province|Shipping Zip/Postal Code|Shipping Country|Phone|Website|Account Owner|Industry',
    'Account Name',
    'Billing City|Billing State/Province|Billing Zip/Postal Code|Billing Country',
  ],
  [
    'Salesforce, fields of the API',
    'Id,IsDeleted,Name,Type,ParentId,BillingStreet,BillingCity,BillingState,BillingPostalCode,BillingCountry,ShippingCity,Website'.replaceAll(
      ',',
      '|',
    ),
    'Name',
    'BillingCity|BillingState|BillingPostalCode|BillingCountry',
  ],
  [
    'Salesforce leads',
    'First Name|Last Name|Title|Company / Account|Email|Street|City|State/Province|Zip/Postal Code|Country|Lead Status',
    'Company / Account',
    'City|State/Province|Zip/Postal Code|Country',
  ],
  [
    'HubSpot companies',
    'Record ID|Company name|Company owner|Create Date|Phone Number|Last Activity Date|Street Address|City|State/Region|Postal Code|Country/Region|Industry|Company Domain Name',
    'Company name',
    'City|State/Region|Postal Code|Country/Region',
  ],
  [
    'Dynamics 365',
    '(Do Not Modify) Account|Account Name|Main Phone|Address 1: Street 1|Address 1: City|Address 1: State/Province|Address 1: ZIP/Postal Code|Address 1: Country/Region|Primary Contact|Status',
    'Account Name',
    'Address 1: City|Address 1: State/Province|Address 1: ZIP/Postal Code|Address 1: Country/Region',
  ],
  [
    'Dynamics, fields of the API',
    'accountid|name|address1_line1|address1_city|address1_stateorprovince|address1_postalcode|address1_country|statecode',
    'name',
    'address1_city|address1_stateorprovince|address1_postalcode|address1_country',
  ],
  [
    'two languages',
    'Code|اسم الشركة (عربي)|Company Name (EN)|City (EN)|Country - English',
    'Company Name (EN)',
    'City (EN)|Country - English',
  ],
  [
    'Guatemalan',
    'No.|Nombre o Razón Social|Nombre Comercial|Dirección|Municipio|Departamento',
    'Nombre o Razón Social',
    'Municipio|Departamento',
  ],
  [
    'Honduran',
    'No.|Nombre Comercial|Razón o Denominación Social|Dirección|Municipio|Departamento',
    'Razón o Denominación Social',
    'Municipio|Departamento',
  ],
  ['Azerbaijani', '№|Sifarişçi|VÖEN|Hüquqi ünvanı|Şəhər|Ölkə', 'Sifarişçi', 'Şəhər|Ölkə'],
  ['Azerbaijani, inflected', 'Kod|Alıcının adı|Ünvanı|Ölkəsi', 'Alıcının adı', 'Ünvanı|Ölkəsi'],
  ['Azerbaijani, short', 'Ad|Ünvan', 'Ad', 'Ünvan'],
  [
    'Azerbaijani register',
    'Kommersiya qurumunun adı|Hüquqi ünvanı|VÖEN',
    'Kommersiya qurumunun adı',
    'Hüquqi ünvanı',
  ],
  [
    'Tunisian',
    'Code|Désignation sociale|Délégation|Gouvernorat|Code postal',
    'Désignation sociale',
    'Délégation|Gouvernorat|Code postal',
  ],
  ['Tunisian, with a town', 'Client|Délégation|Ville|Gouvernorat', 'Client', 'Ville|Gouvernorat'],
  [
    'Tunisian in Arabic',
    'التسمية الاجتماعية|المدينة|الولاية|الترقيم البريدي',
    'التسمية الاجتماعية',
    'المدينة|الولاية|الترقيم البريدي',
  ],
  ['Japanese, of a trade', '業者コード|業者名|代表者名|市区町村名|〒', '業者名', '市区町村名|〒'],
  [
    'Japanese, with a note',
    '会社名（正式名称）|会社名カナ|都道府県名|市区町村名',
    '会社名（正式名称）',
    '市区町村名|都道府県名',
  ],
  ['Japanese, of the other party', '相手先名称|本店所在地', '相手先名称', '本店所在地'],
  ['Ecuadorian', 'Código|Razón Social|Región|Provincia|Cantón', 'Razón Social', 'Cantón|Provincia'],
  [
    'Ecuadorian, of the tax office',
    'RAZON_SOCIAL|DESCRIPCION_PROVINCIA_EST|DESCRIPCION_CANTON_EST',
    'RAZON_SOCIAL',
    'DESCRIPCION_CANTON_EST|DESCRIPCION_PROVINCIA_EST',
  ],
  ['Iraqi', 'ت|اسم الشركة او الزبون|المحافظة|الدولة', 'اسم الشركة او الزبون', 'المحافظة|الدولة'],
  ['Libyan', 'ر.م|اسم الزبون|المدينة|الدولة', 'اسم الزبون', 'المدينة|الدولة'],
  ['Congolese', 'N°|Dénomination sociale|Commune|Ville|Pays', 'Dénomination sociale', 'Ville|Pays'],
  ['French', 'N°|Raison sociale|Commune|Pays', 'Raison sociale', 'Commune|Pays'],
  ['Luxembourgish', 'Nr.|Numm vun der Firma|Adress|Uertschaft|Land', 'Numm vun der Firma', 'Uertschaft|Land'],
  ['Rwandan', "N°|Izina ry'isosiyete|Akarere|Igihugu", "Izina ry'isosiyete", 'Akarere|Igihugu'],
  ['Somali', 'No|Magaca Shirkadda|Magaalada|Wadanka', 'Magaca Shirkadda', 'Magaalada|Wadanka'],
  ['Finnish', 'Asiakasnro|Yhtiö|Kotikunta|Maatunnus', 'Yhtiö', 'Kotikunta|Maatunnus'],
  ['Uzbek', 'Kod|Kontragent nomi|Manzil|Shahar|Davlat', 'Kontragent nomi', 'Shahar|Davlat'],
  ['Kazakh', 'Коды|Контрагент атауы|Қала|Ел', 'Контрагент атауы', 'Қала|Ел'],
  ['Urdu', 'کوڈ|کمپنی کا نام|شہر|ملک', 'کمپنی کا نام', 'شہر|ملک'],
  ['Portuguese', 'N.º Cliente|Denominação Social|Concelho|País', 'Denominação Social', 'Concelho|País'],
  ['SAP', 'KUNNR|NAME1|NAME2|STRAS|ORT01|PSTLZ|REGIO|LAND1|STCEG', 'NAME1', 'ORT01|REGIO|PSTLZ|LAND1'],
  [
    'SAP, in words',
    'Customer|Name 1|Street|Postal Code|City|Country/Region Key|Region',
    'Name 1',
    'City|Region|Postal Code|Country/Region Key',
  ],
  [
    'DATEV',
    'Konto|Name (Adressattyp Unternehmen)|Unternehmensgegenstand|Name (Adressattyp natürl. Person)|Vorname (Adressattyp natürl. Person)|EU-Land|EU-UStID|Anrede|Straße|Postfach|Postleitzahl|Ort|Land',
    'Name (Adressattyp Unternehmen)',
    'Ort|Postleitzahl|Land',
  ],
  [
    'Xero contacts',
    '*ContactName|AccountNumber|EmailAddress|FirstName|LastName|POAttentionTo|POAddressLine1|POCity|PORegion|POPostalCode|POCountry|SAAddressLine1|SACity|SACountry',
    '*ContactName',
    'POCity|PORegion|POPostalCode|POCountry',
  ],
  [
    'Pipedrive',
    'Organization - ID|Organization - Name|Organization - Owner|Organization - Address|Organization - City/town/village/locality of Address|Organization - State/county of Address|Organization - ZIP/Postal code of Address|Organization - Country of Address',
    'Organization - Name',
    'Organization - City/town/village/locality of Address|Organization - State/county of Address|Organization - ZIP/Postal code of Address|Organization - Country of Address',
  ],
  [
    'Companies House',
    'CompanyName|CompanyNumber|RegAddress.AddressLine1|RegAddress.PostTown|RegAddress.County|RegAddress.Country|RegAddress.PostCode|CompanyStatus|CountryOfOrigin',
    'CompanyName',
    'RegAddress.PostTown|RegAddress.County|RegAddress.PostCode|RegAddress.Country',
  ],
  [
    'a list of suppliers',
    'Vendor No.|Vendor Name|Address|Postcode|VAT Reg No',
    'Vendor Name',
    'Address|Postcode',
  ],
  ['a list with addresses of one line', 'company|address|country', 'company', 'address|country'],
  ['a place in one column', 'company|hq|city|country', 'company', 'hq'],
]

describe('exports of programs', () => {
  test.each(exports)('%s', (_, header, name, location) => {
    expect(detectColumns(cells(header), {})).toMatchObject({ name, location: cells(location), context: [] })
  })

  test('without cells and with none that speak against it, it is the same', () => {
    for (const [, header] of exports) {
      const columns = cells(header)
      const samples = new Map(columns.map((column) => [column, [] as string[]]))
      expect(detectColumns(columns, {}, samples)).toEqual(detectColumns(columns, {}))
    }
  })
})

const languages: [language: string, header: string, name: string, location: string][] = [
  [
    'English',
    'Ref|Business Name|Town|County|Postcode|Country',
    'Business Name',
    'Town|County|Postcode|Country',
  ],
  [
    'German',
    'Kundennummer|Firma|Ansprechpartner|Straße|PLZ|Ort|Bundesland|Land',
    'Firma',
    'Ort|Bundesland|PLZ|Land',
  ],
  [
    'German, billing',
    'Kunde|Rechnungsstraße|Rechnungs-PLZ|Rechnungsort|Rechnungsland',
    'Kunde',
    'Rechnungsort|Rechnungs-PLZ|Rechnungsland',
  ],
  [
    'French',
    'Code|Raison sociale|Adresse|Code postal|Ville|Pays',
    'Raison sociale',
    'Ville|Code postal|Pays',
  ],
  [
    'French, of the company',
    "Nom de l'entreprise|Ville de facturation|Pays de facturation",
    "Nom de l'entreprise",
    'Ville de facturation|Pays de facturation',
  ],
  [
    'Spanish',
    'CIF|RAZÓN SOCIAL|Dirección|C.P.|Población|Provincia|País',
    'RAZÓN SOCIAL',
    'Población|Provincia|C.P.|País',
  ],
  [
    'Italian',
    'P.IVA|Ragione Sociale|Indirizzo|CAP|Città|Provincia|Nazione',
    'Ragione Sociale',
    'Città|Provincia|CAP|Nazione',
  ],
  ['Portuguese', 'CNPJ|Razão Social|Endereço|CEP|Cidade|UF|País', 'Razão Social', 'Cidade|UF|CEP|País'],
  ['Dutch', 'KvK-nummer|Bedrijfsnaam|Straat|Postcode|Plaats|Land', 'Bedrijfsnaam', 'Plaats|Postcode|Land'],
  [
    'Polish',
    'NIP|Nazwa firmy|Ulica|Kod pocztowy|Miejscowość|Województwo|Kraj',
    'Nazwa firmy',
    'Miejscowość|Województwo|Kod pocztowy|Kraj',
  ],
  [
    'Swedish',
    'Orgnr|Företagsnamn|Gatuadress|Postnummer|Postort|Land',
    'Företagsnamn',
    'Postort|Postnummer|Land',
  ],
  ['Danish', 'CVR|Virksomhedsnavn|Adresse|Postnr|By|Land', 'Virksomhedsnavn', 'By|Postnr|Land'],
  ['Norwegian', 'Org.nr|Selskapsnavn|Postnummer|Poststed|Fylke', 'Selskapsnavn', 'Poststed|Fylke|Postnummer'],
  [
    'Finnish',
    'Y-tunnus|Yrityksen nimi|Katuosoite|Postinumero|Postitoimipaikka|Maa',
    'Yrityksen nimi',
    'Postitoimipaikka|Postinumero|Maa',
  ],
  ['Czech', 'IČO|Název firmy|Ulice|PSČ|Město|Stát', 'Název firmy', 'Město|PSČ|Stát'],
  ['Turkish', 'Vergi No|Şirket Adı|Adres|Posta Kodu|İlçe|Ülke', 'Şirket Adı', 'İlçe|Posta Kodu|Ülke'],
  ['Hungarian', 'Cégnév|Irányítószám|Város|Ország', 'Cégnév', 'Város|Irányítószám|Ország'],
  [
    'Japanese',
    '顧客番号|会社名|郵便番号|都道府県|市区町村|住所|国',
    '会社名',
    '市区町村|都道府県|郵便番号|国',
  ],
  ['Chinese', '编号|公司名称|地址|城市|省份|邮编|国家', '公司名称', '城市|省份|邮编|国家'],
  ['Chinese, traditional', '公司名稱|地址|郵遞區號|國家', '公司名稱', '地址|郵遞區號|國家'],
  ['Korean', '번호|회사명|주소|우편번호|도시|국가', '회사명', '도시|우편번호|국가'],
  [
    'Russian',
    'ИНН|Наименование организации|Адрес|Индекс|Город|Регион|Страна',
    'Наименование организации',
    'Город|Регион|Индекс|Страна',
  ],
  ['Arabic', 'اسم الشركة|العنوان|المدينة|الرمز البريدي|الدولة', 'اسم الشركة', 'المدينة|الرمز البريدي|الدولة'],
  ['Hebrew', 'שם החברה|כתובת|עיר|מיקוד|מדינה', 'שם החברה', 'עיר|מיקוד|מדינה'],
  ['Vietnamese', 'Tên công ty|Địa chỉ|Thành phố|Quốc gia', 'Tên công ty', 'Thành phố|Quốc gia'],
  [
    'Indonesian',
    'Nama Perusahaan|Alamat|Kota|Provinsi|Kode Pos|Negara',
    'Nama Perusahaan',
    'Kota|Provinsi|Kode Pos|Negara',
  ],
  ['Malay', 'Nama Syarikat|Bandar|Poskod|Negara', 'Nama Syarikat', 'Bandar|Poskod|Negara'],
  ['Thai', 'ชื่อบริษัท|ที่อยู่|อำเภอ|จังหวัด|รหัสไปรษณีย์|ประเทศ', 'ชื่อบริษัท', 'อำเภอ|จังหวัด|รหัสไปรษณีย์|ประเทศ'],
  ['Hindi', 'कंपनी का नाम|पता|शहर|राज्य|पिन कोड|देश', 'कंपनी का नाम', 'शहर|राज्य|पिन कोड|देश'],
  ['Persian', 'نام شرکت|نشانی|شهر|استان|کد پستی|کشور', 'نام شرکت', 'شهر|استان|کد پستی|کشور'],
  [
    'Bulgarian',
    'Име на фирмата|Адрес|Град|Пощенски код|Държава',
    'Име на фирмата',
    'Град|Пощенски код|Държава',
  ],
  [
    'Croatian',
    'Naziv tvrtke|Adresa|Grad|Poštanski broj|Država',
    'Naziv tvrtke',
    'Grad|Poštanski broj|Država',
  ],
  ['Serbian', 'Назив|Адреса|Место|Поштански број|Држава', 'Назив', 'Место|Поштански број|Држава'],
  [
    'Slovene',
    'Naziv podjetja|Naslov|Mesto|Poštna številka|Država',
    'Naziv podjetja',
    'Mesto|Poštna številka|Država',
  ],
  [
    'Lithuanian',
    'Įmonės pavadinimas|Adresas|Miestas|Pašto kodas|Šalis',
    'Įmonės pavadinimas',
    'Miestas|Pašto kodas|Šalis',
  ],
  [
    'Latvian',
    'Uzņēmuma nosaukums|Adrese|Pilsēta|Pasta indekss|Valsts',
    'Uzņēmuma nosaukums',
    'Pilsēta|Pasta indekss|Valsts',
  ],
  ['Estonian', 'Ettevõtte nimi|Aadress|Linn|Postiindeks|Riik', 'Ettevõtte nimi', 'Linn|Postiindeks|Riik'],
  [
    'Icelandic',
    'Nafn fyrirtækis|Heimilisfang|Staður|Póstnúmer|Land',
    'Nafn fyrirtækis',
    'Staður|Póstnúmer|Land',
  ],
  ...'Viðskiptamaður|Nafn viðskiptamanns|Lánardrottinn|Skuldunautur|Kaupandi|Seljandi|Greiðandi'
    .split('|')
    .map((name): (typeof languages)[number] => [
      `Icelandic, ${name}`,
      `Nr.|${name}|Heimilisfang|Póstnúmer og staður|Lands-/svæðiskóði`,
      name,
      'Póstnúmer og staður|Lands-/svæðiskóði',
    ]),
  [
    'Catalan',
    "Nom de l'empresa|Adreça|Ciutat|Codi postal|País",
    "Nom de l'empresa",
    'Ciutat|Codi postal|País',
  ],
  [
    'Albanian',
    'Emri i kompanisë|Adresa|Qyteti|Kodi postar|Shteti',
    'Emri i kompanisë',
    'Qyteti|Kodi postar|Shteti',
  ],
  ['Georgian', 'კომპანიის დასახელება|მისამართი|ქალაქი|ქვეყანა', 'კომპანიის დასახელება', 'ქალაქი|ქვეყანა'],
  ['Armenian', 'Ընկերության անվանումը|Հասցե|Քաղաք|Երկիր', 'Ընկերության անվանումը', 'Քաղաք|Երկիր'],
  [
    'Kazakh',
    'Компания атауы|Мекенжай|Қала|Пошта индексі|Ел|Мемлекет',
    'Компания атауы',
    'Қала|Пошта индексі|Ел',
  ],
  [
    'Mongolian',
    'Компанийн нэр|Улс|Хот|Аймаг|Шуудангийн код|Хаяг',
    'Компанийн нэр',
    'Хот|Аймаг|Шуудангийн код|Улс',
  ],
  [
    'Afrikaans',
    'Maatskappynaam|Dorp|Streek|Poskode|Land|Posadres',
    'Maatskappynaam',
    'Dorp|Streek|Poskode|Land',
  ],
  ['Azerbaijani', 'Şirkətin adı|Şəhər|Poçt kodu|Ölkə', 'Şirkətin adı', 'Şəhər|Poçt kodu|Ölkə'],
  ['Khmer', 'ឈ្មោះក្រុមហ៊ុន|ទីក្រុង|ខេត្ត|ប្រទេស', 'ឈ្មោះក្រុមហ៊ុន', 'ទីក្រុង|ខេត្ត|ប្រទេស'],
  ['Lao', 'ຊື່ບໍລິສັດ|ເມືອງ|ແຂວງ|ປະເທດ', 'ຊື່ບໍລິສັດ', 'ເມືອງ|ແຂວງ|ປະເທດ'],
  ['Burmese', 'ကုမ္ပဏီအမည်|မြို့|ပြည်နယ်|နိုင်ငံ', 'ကုမ္ပဏီအမည်', 'မြို့|ပြည်နယ်|နိုင်ငံ'],
  ['Nepali', 'कम्पनीको नाम|सहर|प्रदेश|देश', 'कम्पनीको नाम', 'सहर|प्रदेश|देश'],
  ['Sinhala', 'සමාගමේ නම|නගරය|පළාත|රට', 'සමාගමේ නම', 'නගරය|පළාත|රට'],
  ['Tamil', 'நிறுவனத்தின் பெயர்|நகரம்|மாநிலம்|நாடு', 'நிறுவனத்தின் பெயர்', 'நகரம்|மாநிலம்|நாடு'],
  ['Bengali', 'কোম্পানির নাম|শহর|জেলা|দেশ', 'কোম্পানির নাম', 'শহর|জেলা|দেশ'],
  ['Swahili', 'jina la kampuni|mji|mkoa|nchi', 'jina la kampuni', 'mji|mkoa|nchi'],
  ['Amharic', 'የድርጅቱ ስም|ከተማ|ክልል|አገር', 'የድርጅቱ ስም', 'ከተማ|ክልል|አገር'],
  [
    'Macedonian',
    'Назив на компанија|Град|Регион|Поштенски број|Земја',
    'Назив на компанија',
    'Град|Регион|Поштенски број|Земја',
  ],
  [
    'Maltese',
    'Isem tal-kumpanija|Belt|Reġjun|Kodiċi postali|Pajjiż',
    'Isem tal-kumpanija',
    'Belt|Reġjun|Kodiċi postali|Pajjiż',
  ],
  [
    'Filipino',
    'Pangalan ng kumpanya|Lungsod|Lalawigan|Bansa',
    'Pangalan ng kumpanya',
    'Lungsod|Lalawigan|Bansa',
  ],
  [
    'Basque',
    'Enpresaren izena|Hiria|Probintzia|Posta-kodea|Herrialdea',
    'Enpresaren izena',
    'Hiria|Probintzia|Posta-kodea|Herrialdea',
  ],
  ['Galician', 'Nome da empresa|Concello|Provincia|País', 'Nome da empresa', 'Concello|Provincia|País'],
  [
    'Haitian Creole',
    'Non konpayi|Vil|Depatman|Kòd postal|Peyi',
    'Non konpayi',
    'Vil|Depatman|Kòd postal|Peyi',
  ],
  ['Tajik', 'Номи ширкат|Шаҳр|Вилоят|Кишвар', 'Номи ширкат', 'Шаҳр|Вилоят|Кишвар'],
  ['Turkmen', 'Kompaniýanyň ady|Şäher|Welaýat|Ýurt', 'Kompaniýanyň ady', 'Şäher|Welaýat|Ýurt'],
  ['Kyrgyz', 'Компаниянын аталышы|Шаар|Облус|Өлкө', 'Компаниянын аталышы', 'Шаар|Облус|Өлкө'],
]

/** Websites, e-mail addresses and register numbers in the same languages. */
const identifierHeadersOfLanguages =
  'Trang web|Thư điện tử|Số đăng ký;Situs web|Surel|Nomor Pendaftaran;เว็บไซต์|อีเมล|เลขทะเบียน;वेबसाइट|ईमेल|पंजीकरण संख्या;' +
  'وب سایت|ایمیل|شماره ثبت;Уебсайт|Имейл|ЕИК;Web stranica|E-pošta|Matični broj;Веб сајт|Имејл|Матични број;' +
  'Spletna stran|E-poštni naslov|Matična številka;Interneto svetainė|El. paštas|Įmonės kodas;Mājas lapa|E-pasts|Reģ. nr.;' +
  'Veebileht|E-post|Registrikood;Vefsíða|Netfang|Kennitala;Lloc web|Correu electrònic|Número de registre;' +
  'Faqja e internetit|Posta elektronike|NIPT;ვებგვერდი|ელფოსტა|საიდენტიფიკაციო კოდი;Կայք|Էլ. փոստ|Գրանցման համար;' +
  'Веб-сайты|Электрондық пошта|БСН;الموقع الإلكتروني|البريد الإلكتروني|رقم السجل التجاري;אתר|דוא"ל|ח"פ;' +
  'Вэб|И-мэйл|Регистрийн дугаар;Webwerf|E-posadres|Registrasienommer;Veb sayt|E-poçt|Qeydiyyat nömrəsi;' +
  'ເວັບໄຊ|ອີເມວ|ເລກທະບຽນ;ဝက်ဘ်ဆိုက်|အီးမေးလ်|မှတ်ပုံတင်အမှတ်;वेब साइट|इमेल|दर्ता नम्बर;வலைத்தளம்|மின்னஞ்சல்|பதிவு எண்;' +
  'ওয়েবসাইট|ইমেইল|নিবন্ধন নম্বর;tovuti|barua pepe|namba ya usajili;ድረ ገጽ|ኢሜይል|የምዝገባ ቁጥር;web orria|helbide elektronikoa|erregistro zenbakia'

describe('languages', () => {
  test.each(languages)('%s', (_, header, name, location) => {
    expect(detectColumns(cells(header), {})).toMatchObject({ name, location: cells(location) })
  })

  test.each(languages)(
    '%s, without marks, in capitals, with underscores, decomposed',
    (_, header, name, location) => {
      const forms = [
        (text: string) => text.normalize('NFD'),
        (text: string) => text.toUpperCase().replaceAll(' ', '_'),
        (text: string) => ` ${text} `,
      ]
      for (const form of forms) {
        expect(detectColumns(cells(header).map(form), {})).toMatchObject({
          name: form(name),
          location: cells(location).map(form),
        })
      }
    },
  )

  test.each(identifierHeadersOfLanguages.split(';'))(
    '%s are a website, an e-mail address and a number',
    (header) => {
      const [website, email, registration_id] = cells(header)
      expect(detectColumns(['Company', ...cells(header)], {}).identifiers).toEqual({
        website,
        email,
        registration_id,
      })
    },
  )

  test.each([
    ['Vendor|Supplier|Customer|Client|Debtor', ['% Name', 'Name of %', '%-Name']],
    ['Lieferant|Kunde|Debitor|Schuldner', ['Name %', '% Name']],
    ['client|fournisseur|débiteur', ['Nom du %', 'Nom %']],
    ['proveedor|cliente|deudor', ['Nombre del %', 'Nombre %']],
    ['fornitore|debitore', ['Nome del %', 'Nome %']],
    ['dostawcy|dłużnika|kontrahenta', ['Nazwa %']],
    ['должника|поставщика', ['Наименование %', 'Название %']],
  ])('A name with an owner is a company name: %s', (owners, forms) => {
    const columns = cells(owners).flatMap((owner) => forms.map((form) => form.replace('%', owner)))
    const unknown = columns.filter((column) => {
      try {
        return detectColumns(['No', column], {}).name !== column
      } catch {
        return true
      }
    })
    expect(unknown).toEqual([])
  })

  test.each(headerWords.added.parties)(
    'parties of a deal are companies next to no better header: %s',
    (list) => {
      const places = ['City', 'Country']
      for (const party of cells(list)) {
        const own = { name: party, location: places }
        expect(detectColumns(['Ref', party, ...places], {}), party).toMatchObject(own)
        expect(
          detectColumns(['Ref', party.toUpperCase().replaceAll(' ', '_'), ...places], {}).name,
        ).toBeTruthy()
        for (const better of ['Supplier', 'Company', 'Kunde', 'Nombre', 'Name'])
          expect(detectColumns([party, better, ...places], {}).name, party).toBe(better)
      }
    },
  )

  test.each(
    "Buyer Name|BUYER_NAME|Exporter Name|Name of Bidder|Name of the Exporter|Bidder's Name|Permit Holder Name|Consignee Name|LicenseeName|Applicant Name|Grantee Organization|Licensee Legal Name|Borrower Business Name|Name of the Applicant|Nombre del exportador|Nom de l'importateur|Nome do importador|Name des Bieters|Naam koper|Importer Name".split(
      '|',
    ),
  )('%s is the name, and its places are used if there are no others', (column) => {
    expect(detectColumns(['No', column, 'Buyer City', 'Importer Country'], {})).toMatchObject({
      name: column,
      location: ['Buyer City', 'Importer Country'],
    })
    expect(detectColumns(['Buyer City', column, 'City', 'Country'], {}).location).toEqual(['City', 'Country'])
    expect(detectColumns([column, 'Vendor Name', 'Buyer City', 'Vendor City'], {})).toMatchObject({
      name: 'Vendor Name',
      location: ['Vendor City'],
    })
  })

  test.each([
    'Vendor Website|Supplier URL|Customer Homepage|Client Web Site|vendor_website|VendorWebsite|Website (Vendor)',
    'Lieferanten-Website|Kundenwebsite|Webseite Kunde|Homepage Lieferant|Site web du client|Site web fournisseur',
    'Sitio web del proveedor|Sito web fornitore|Website leverancier|Leverantörens hemsida',
    'Strona www kontrahenta|Сайт поставщика|客户网站|取引先URL',
  ])('A website with an owner is used before an e-mail address: %s', (columns) => {
    const known = cells(columns)
    for (const column of known)
      expect(detectColumns(['Vendor Name', 'Contact E-mail', column], {}).identifiers).toEqual({
        website: column,
        email: 'Contact E-mail',
      })
  })

  test.each(
    'Prov/State|St/Prov|State/Prov|Prov.|State, Prov.|Billing State/Prov|Prov. / State|Remit-to Prov/State|Provincia/Estado|Bundesland/Kanton'.split(
      '|',
    ),
  )('%s is a region', (column) => {
    expect(parsePlaceHeader(column)?.part).toBe('region')
  })

  test.each(
    'City/Town|PLZ/Ort|City, State, Zip|Ville/Localité|Miasto kontrahenta|Remit-to City|Lieferantenort|Ville du fournisseur'.split(
      '|',
    ),
  )('%s is a city', (column) => {
    expect(parsePlaceHeader(column)?.part).toBe('city')
  })

  test.each(
    'Dłużnik|Débiteur|Deudor|Debitore|Devedor|Gäldenär|Schuldner|Dlužník|Adós|Borçlu|Должник|Боржник|債務者|债务人|채무자|Skolininkas|المدين'.split(
      '|',
    ),
  )('%s is a company', (column) => {
    expect(detectColumns(['id', column, 'notes'], {}).name).toBe(column)
  })

  test.each(
    "Numer rejestrowy|Numéro d'immatriculation|N° d'immatriculation|Numero di iscrizione|Número de registro|Nº de registro|Registrierungsnummer|Register-Nr.|Registračné číslo|Registreringsnummer|Rekisterinumero|Регистрационный номер|登记号|Sicil No|Co. Reg. No|Co Reg No|PV Reg. No|ROC No|BR No|Business Registration No.|RUC".split(
      '|',
    ),
  )('%s is a company number', (column) => {
    expect(detectColumns(['Company', column], {}).identifiers).toEqual({ registration_id: column })
  })

  test.each(
    'Customer|Client|Supplier|Vendor|Debtor|Firma|Kunde|Empresa|Azienda|Företag|Société|Bedrijf|Klient|Şirket|会社|公司|회사|Компания'.split(
      '|',
    ),
  )('%s alone is a company', (column) => {
    expect(detectColumns(['id', column, 'notes'], {}).name).toBe(column)
  })
})

describe('false friends', () => {
  test.each(['PV No', 'PV Number'])('%s is a payment voucher', (column) => {
    expect(detectColumns([column, 'Payee'], {}).identifiers).toEqual({})
  })

  test.each(
    'country_manager|City Manager|status|name_of_contact|State of deal|account_status|region_id|Sales Region|Town hall meeting|ship by|Ship date|Billing contact|Billing method|City ID|statecode_label|postal_order|contact city|home country|country of birth|Citycard|Land area|Sitz der Geschäftsführung'.split(
      '|',
    ),
  )('%s is no place', (column) => {
    expect(detectColumns(['company', column], {}).location).toEqual([])
  })

  test.each(
    'Vendor Contact Name|Site Name|Item name|Client contact|contact_name|Contact Name|name_of_contact|Account ID|Customer ID|id|first_name|Account Owner|Client since|customer number|Vendor No.|company size|Owner Name|file name'.split(
      '|',
    ),
  )('%s is no name of a company', (column) => {
    expect(() => detectColumns([column, 'city'], {})).toThrow(
      expect.objectContaining({ code: 'INPUT_COLUMN_MISSING' }),
    )
  })

  test('a name next to a first or last name is a person’s, and is not billed', () => {
    for (const person of ['First Name', 'last_name', 'Vorname', 'Apellidos', '姓']) {
      expect(() => detectColumns(['Name', person, 'City'], {})).toThrow(
        expect.objectContaining({
          hint: expect.stringContaining('next to columns of personal names') as string,
        }),
      )
      expect(detectColumns(['Name', person, 'City'], { name: 'name' }).name).toBe('Name')
      expect(detectColumns(['Name', person, 'Company'], {}).name).toBe('Company')
    }
  })

  test.each([
    'Πόλη/Περιοχή',
    'Νομός/Περιφέρεια',
    'Δήμος/Κοινότητα',
    'Περιφέρεια',
    'Δ/νση',
    'Δ/ΝΣΗ ΕΔΡΑΣ',
    'Ταχ. Δ/νση',
  ])('%s is a place', (header) => {
    expect(detectColumns(['Επωνυμία', header], {}).location).toEqual([header])
  })

  // Words for a first name or any name, for the rest of a person's name, and for a company.
  test.each([
    [
      'Όνομα|Μικρό όνομα',
      'Επώνυμο|Επίθετο|Ονοματεπώνυμο',
      'Εταιρία|Εταιρεία|Επιχείρηση|Επωνυμία εταιρίας|Επωνυμία Επιχείρησης|Όνομα εταιρίας|Εργοδότης',
    ],
    ['Name|Given names', 'Surname|Maiden name', 'Company|Employer'],
    ['Name|Rufname', 'Nachname|Zuname', 'Firma|Firmenname|Arbeitgeber'],
    ['Prénoms|Prénom', 'Nom patronymique|Nom de naissance', 'Société|Compagnie|Employeur'],
    ['Nombre|Nombre de pila', 'Apellidos', 'Empresa|Empleador'],
    ['Nome|Primeiro nome', 'Apelidos|Último nome|Cognome', 'Organização|Organizzazione|Empregador'],
    ['Nom', 'Cognom|Cognoms', 'Organització|Empresa'],
    ['Nume|Prenume', 'Prenumele|Nume de familie', 'Societate|Organizație|Firmă|Angajator'],
    ['Naam|Voornamen', 'Familienaam|Achternaam|Geslachtsnaam', 'Bedrijf|Vennootschap|Werkgever'],
    [
      'Namn|Navn|Nafn',
      'Efternamn|Etternavn|Kenninafn',
      'Företag|Virksomhet|Arbetsgivare|Arbejdsgiver|Vinnuveitandi',
    ],
    ['Nimi|Etunimet', 'Sukunimi|Perenimi', 'Yhtiö|Organisaatio|Työnantaja|Tööandja|Asutus'],
    ['Vardas|Vārds', 'Pavardė|Uzvārds', 'Įmonė|Organizacija|Sabiedrība|Organizācija|Darba devējs'],
    ['Imię|Imiona|Jméno|Meno', 'Nazwisko|Příjmení|Priezvisko', 'Firma|Podnik|Pracodawca|Zaměstnavatel'],
    [
      'Ime|Име',
      'Prezime|Priimek|Фамилия|Презиме|Собствено име',
      'Podjetje|Društvo|Друштво|Претпријатие|Poslodavac|Работодател',
    ],
    [
      "Имя|Ім'я|Імя|Наименования",
      'Отчество|ФИО|Прізвище|ПІБ|Прозвішча',
      'Юрлицо|Підприємство|Товариство|Прадпрыемства',
    ],
    ['Név|Keresztnév|Utónév', 'Vezetéknév|Családnév', 'Cég|Társaság|Szervezet|Vállalkozás|Munkáltató'],
    ['Ad|Adı|İsim', 'Soyad|Soyisim|Ad Soyad', 'Şirket|Kurum|İşletme|İşyeri|İşveren'],
    ['Аты|Нэр|Ism', 'Тегі|Овог нэр|Familiya', 'Мекеме|Аж ахуйн нэгж|Уюм'],
    ['სახელი|Անուն', 'გვარი|Անուն ազգանուն', 'ფირმა|Ձեռնարկություն'],
    ['Emri|Isem', 'Mbiemër|Kunjom', 'Kompani|Negozju'],
    ['الاسم|نام|שם', 'اللقب|الاسم الأخير|فامیلی|שם משפחה', 'جهة العمل|موسسه|ארגון'],
    ['नाम|নাম|பெயர்|ชื่อ', 'सरनेम|শেষ নাম|கடைசி பெயர்|ชื่อและนามสกุล', 'संगठन|কোম্পানী|கம்பெனி|องค์กร|หน่วยงาน'],
    ['Tên|Nama', 'Họ tên|Nama keluarga|Nama akhir', 'Công ty|Instansi|Organisasi'],
    ['名|名前|이름', '姓名|氏名|苗字|성명|성', '企業|組織|工作单位|기업|직장'],
  ])('%s is a person’s name next to %s, and the company is found: %s', (givens, others, companies) => {
    for (const given of givens.split('|'))
      for (const other of others.split('|')) {
        expect(() => detectColumns([given, other, 'City'], {}), `${given}, ${other}`).toThrow()
        for (const company of companies.split('|'))
          expect(detectColumns([given, other, company, 'City'], {}).name, `${given}, ${other}`).toBe(company)
      }
  })

  test.each([
    'Nazwa',
    'Název',
    'Názov',
    'Наименование',
    'Назва',
    'Denumire',
    'Nosaukums',
    '名称',
    'Ονομασία',
  ])('%s is no name of a person: a contact in another column does not hide it', (name) => {
    for (const person of ['Imię i nazwisko', 'Příjmení', 'ФИО', '姓名', 'Ονοματεπώνυμο'])
      expect(detectColumns([person, name, 'City'], {}).name, person).toBe(name)
  })

  const samples = (values: Record<string, string[]>) => new Map(Object.entries(values))
  test.each<[string, Record<string, string[]>, string[]]>([
    ['a status', { state: ['active', 'Closed', 'Won', 'active'] }, ['city', 'country']],
    ['a number', { state: ['1', '0', '1'] }, ['city', 'country']],
    ['a state', { state: ['CA', 'WA', 'Open'] }, ['city', 'state', 'country']],
    ['empty', { state: [] }, ['city', 'state', 'country']],
    ['a city that is a number of one', { city: ['12', '17'] }, ['state', 'country']],
  ])('a state by its cells: %s', (_, values, location) => {
    const columns = ['company', 'city', 'state', 'country']
    expect(detectColumns(columns, {}, samples(values)).location).toEqual(location)
  })

  test('a customer by its cells: a number is no name', () => {
    const columns = ['Customer', 'Name', 'City']
    expect(detectColumns(columns, {}, samples({ Customer: ['1000012', '1000013'] })).name).toBe('Name')
    expect(detectColumns(columns, {}, samples({ Customer: ['Acme', '3M', '1000013'] })).name).toBe('Customer')
  })
})

describe('of several places one is taken', () => {
  test.each([
    ['Billing City|Shipping City|Shipping Country', 'Billing City'],
    ['Shipping City|Shipping Country|Billing Country', 'Shipping City|Shipping Country'],
    ['HQ City|HQ Country|Billing City|Billing Country', 'HQ City|HQ Country'],
    ['Mailing City|Mailing Country|Registered City|Registered Country', 'Registered City|Registered Country'],
    ['City|State|Billing City|Billing State', 'City|State'],
    ['Billing City|Billing State|Country', 'Billing City|Billing State|Country'],
    ['Country|Registered Address', 'Registered Address|Country'],
    ['City (Billing)|Country (Billing)|City (Shipping)', 'City (Billing)|Country (Billing)'],
    ['Country|Street', 'Street|Country'],
  ])('%s: %s', (header, location) => {
    expect(detectColumns(['company', ...cells(header)], {}).location).toEqual(cells(location))
  })

  test('A column of towns is used with the country next to it, and one of whole places without it', () => {
    const header = ['Company', 'Siedziba', 'Billing Country', 'Kraj']
    const locate = (values: string[]) => detectColumns(header, {}, new Map([['Siedziba', values]])).location
    expect(locate(['Kraków', 'Berlin', 'Łódź'])).toEqual(['Siedziba', 'Kraj'])
    expect(locate(['Kraków, Polska', 'Berlin, Niemcy', 'Łódź'])).toEqual(['Siedziba'])
  })

  test('whose place a header names', () => {
    expect(parsePlaceHeader('Billing Zip/Postal Code')).toEqual({ part: 'postal', set: 'billing', number: 0 })
    expect(parsePlaceHeader('Ciudad de facturación')).toEqual({ part: 'city', set: 'billing', number: 0 })
    expect(parsePlaceHeader('Lieferland')).toEqual({ part: 'country', set: 'shipping', number: 0 })
    expect(parsePlaceHeader('Notes')).toBeNull()
    expect(parsePlaceHeader(`City ${'-'.repeat(60_000)} x1`)).toBeNull()
  })
})

const byNames = (columns: Omit<LookupColumns, 'identifiers'>): LookupRule => ({
  columns: { ...columns, identifiers: {} },
  identifierUse: 'first',
  readsNames: true,
})

describe('what is told of the columns', () => {
  const lei = ['HWUPKR0MPOU8FGXBT394', 'INR2EJN1ERAN0W5ZP974', '7LTWFZYICNSX8D621K86']
  const wrongLei = lei.map((one) => one.replace(/.$/, (digit) => String((Number(digit) + 1) % 10)))
  const isin = ['US0378331005', 'US5949181045', 'DE0007236101']
  const header = cells('company|city|postcode|street|LEI|Kennung|Web|Stock Symbol|notes|hq|state')
  const samples = new Map([
    ['Kennung', lei],
    ['notes', wrongLei],
    ['state', ['open', 'won']],
  ])

  test('what is used, and what looks like a place or an identifier and is not', () => {
    const report = reportColumns(
      header,
      byNames({ name: 'company', location: ['city'], context: [] }),
      samples,
    )
    expect(report.unused).toEqual([
      { column: 'postcode', kind: 'postal code' },
      { column: 'street', kind: 'address' },
      { column: 'LEI', kind: 'LEI' },
      {
        column: 'Kennung',
        kind: 'LEI',
        why: 'to use it: --id-columns lei=Kennung',
      },
      { column: 'Web', kind: 'website' },
      { column: 'Stock Symbol', kind: 'ticker' },
      { column: 'hq', kind: 'place' },
    ])
    const [asked, unused] = formatColumnLines(report)
    expect(asked).toBe('name from company; location from city')
    expect(unused).toMatch(
      /^not used: postcode \(postal code\), street \(address\), LEI \(LEI\), .*--location-columns/,
    )
  })

  test.each([
    ['LEI', lei],
    ['ISIN', isin],
    ['website', ['apple.com', 'https://siemens.de/de', 'www.x.org', 'n/a', 'foo.co.uk']],
    ['e-mail', ['a@b.com', 'c@d.org', 'e@f.de']],
    ['EIN', ['94-2404110', '91-1144442', '13-4994650']],
    ['VAT number', ['DE811128135', 'FR83404833048', 'NL 8047.32.132']],
    [undefined, wrongLei],
    [undefined, isin.map((one) => one.replace(/.$/, (digit) => String((Number(digit) + 1) % 10)))],
    [undefined, ['Acme', 'Bolt', 'Cera']],
    [undefined, lei.slice(0, 2)],
  ])('%s by its cells', (kind, values) => {
    const report = reportColumns(
      ['company', 'x'],
      byNames({ name: 'company', location: [], context: [] }),
      new Map([['x', values]]),
    )
    expect(report.unused[0]?.kind).toBe(kind)
  })

  test.each([
    ['DUNS', 'Account DUNS'],
    ['VAT number', 'Supplier VAT No'],
    ['website', 'Account Website'],
    ['company number', 'HRB Nr.'],
    ['company number', 'Company No'],
    ['company number', 'GSTIN No'],
    ['GST number', 'GST/HST No'],
    ['GST number', 'Numéro TPS/TVH'],
    ['tax number', 'BN'],
    ['city', 'Plant City'],
    ['country', 'AgentCountry'],
    ['postal code', 'Notify party postal code'],
    ['company number', 'Agent Company Number'],
    [undefined, 'Company Name Local'],
    ['address', 'Remit-to address'],
    ['region', 'Warehouse Prov/State'],
    [undefined, 'City Manager'],
    [undefined, 'Ship by'],
    [undefined, 'Account Owner'],
    [undefined, 'Customer'],
  ])('%s by a header with the word whose it is: %s', (kind, column) => {
    const report = reportColumns(['x', column], byNames({ name: 'x', location: [], context: [] }), new Map())
    expect(report.unused[0]?.kind).toBe(kind)
  })

  test('it stays compact, whatever the table', () => {
    const wide = Array.from({ length: 300 }, (_, index) => `Billing${' '.repeat(10 * index)} City\n`)
    const lines = formatColumnLines(
      reportColumns(wide, byNames({ name: 'x', location: [], context: [] }), new Map()),
    )
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain('and 290 more')
    expect(lines.join('').length).toBeLessThan(1_500)
    expect(lines.join('')).not.toContain('\n')
  })
})

test.each([
  [
    'postal',
    'Poštna št.|Poštna številka|Postal No|Post Nr|PLZ Nr.|Postnr.|индекс|почтовый индекс|posta kodu|irányítószám|código postal|CEP|PIN|ПИН|Kod pocztowy|Poštanski br.',
  ],
  [
    'postal',
    'Kod pocz.|Kod p.|PSČ sídla|Code postal du siège|PLZ des Sitzes|Postcode zetel|Székhely irányítószám',
  ],
  [
    'country',
    'Państwo|Panstwo|Štát|Stát sídla|Staat|valtio|Держава|Государство|Κράτος|Kraj siedziby|Państwo siedziby|Χώρα έδρας',
  ],
  [
    'country',
    'Kraj (ISO)|Państwo (ISO)|Země (ISO)|Krajina ISO|Ország (ISO)|Țară (ISO)|Paese (ISO)|Stato (ISO2)|Ülke (ISO)|Maa (ISO)|Država (ISO 3166-1)|Country (alpha-2)|Kod ISO kraju',
  ],
  [
    'city',
    'Miejscowość siedziby|Obec sídla|Mesto sídla|Ort des Sitzes|Gemeente zetel|Localitatea sediului|Comune della sede|Cidade da sede|Mjesto sjedišta|Град седишта|Mesto sedeža|Buveinės miestas|Asukoha linn|Πόλη έδρας|Город местонахождения|Székhely település',
  ],
  ['city', 'Pošta|Naziv pošte|poststed|postort|Postort|Ort|PLZ/Ort|postitoimipaikka|Občina|Kraj in pošta'],
  [
    'city',
    'Municipalité|Municipalidad|Gemeindename|Gemeentenaam|Kommunenavn|Kommunnamn|Kunnan nimi|Název obce|Názov obce|Nazwa gminy|Naziv općine|Belediye|Pašvaldība|Község|Муниципалитет|Громада|Община|自治体|بلدية|Nom de la commune|Nome do município|Nombre del municipio|Nome del comune|Municipality name',
  ],
] as const)('Headers of the part %s of a place', (part, headers) => {
  for (const header of headers.split('|')) expect(parsePlaceHeader(header)?.part, header).toBe(part)
})

test.each(
  'ঋণগ্রহীতার নাম|ঋণ গ্রহীতার নাম|পার্টির নাম|করদাতার নাম|Klijent|Клијент|Naziv klijenta|Tên Cty|Tên giao dịch|Tên người nộp thuế|Tên tài khoản|Chủ tài khoản|السمة التجارية|صاحب الحساب|اسم صاحب الحساب|اسم الممول|A/C Title|A/C Name|Account Holder|Name of Account Holder|Name of Borrower|Assessee Name|Kontoinhaber|Titulaire du compte|Titular de la cuenta|Intestatario|Rekeninghouder|Majitel účtu|Számlatulajdonos|Hesap sahibi|Владелец счета|口座名義|户名|예금주|ชื่อบัญชี|Nama debitur|Nama wajib pajak|Porezni obveznik'.split(
    '|',
  ),
)('A borrower, account holder, taxpayer, party or client is a company: %s', (header) => {
  expect(detectColumns(['No', header, 'City'], {}).name).toBe(header)
})

describe('a word for a name with one for its owner', () => {
  const composed = {
    Azerbaijani: 'Alıcının adı|Satıcının adı|Podratçının adı|Qalibin adı|Müştərinin adı|Firmanın adı',
    Turkish: 'Yüklenicinin adı|Üreticinin adı|Tedarikçinin adı|İhracatçının adı',
    Polish: 'Nazwa wykonawcy|Nazwa sprzedawcy|Nazwa oferenta|Nazwa zamawiającego|Nazwa odbiorcy',
    Czech: 'Název zhotovitele|Název uchazeče|Název zadavatele|Název dodavatele',
    Croatian: 'Naziv naručitelja|Naziv ponuditelja|Naziv prodavatelja',
    Russian: 'Наименование заказчика|Наименование победителя|Название исполнителя|Название участника',
    Ukrainian: 'Назва замовника|Назва переможця|Назва виконавця',
    Kazakh: 'Сатып алушының атауы|Мердігердің атауы|Сатушының атауы',
    Mongolian: 'Гүйцэтгэгчийн нэр|Захиалагчийн нэр',
    Finnish: 'Tilaajan nimi|Myyjän nimi|Ostajan nimi',
    Swedish: 'Köparens namn|Säljarens namn',
    Hungarian: 'Vevő neve|Eladó neve|Ajánlattevő neve',
    Armenian: 'Գնորդի անվանումը|Վաճառողի անվանումը',
    Georgian: 'მყიდველის დასახელება|გამყიდველის დასახელება',
    French: "Nom de l'acheteur|Nom du vendeur|Nom du titulaire|Nom de l'attributaire",
    Japanese: '業者名|発注先名|納入業者名|受注者名称|落札者名|会員名',
    Korean: '낙찰업체명|발주기관명|회원사명|판매자명',
    Chinese: '中标单位名称|采购人名称|供货商名称|投標廠商名稱',
    Arabic: 'اسم الزبون|اسم المشتري|اسم المقاول',
  }
  test.each(Object.entries(composed))('%s names companies', (_, text) => {
    const unknown = text.split('|').filter((header) => {
      const found = detectColumns(['LEI', header], {})
      return found.name !== header
    })
    expect(unknown).toEqual([])
  })

  test.each(
    'Accountant Name|Product Name|Contract Name|Merchandise Name|Nazwa produktu|Nazwa towaru|Naziv proizvoda|Название товара|Наименование получения|Nombre del producto|Nom du produit|Nome do produto|Artikelname|Ürün adı|Malın adı|商品名|品名|代表者名|部署名|担当者名|상품명|담당자명|产品名称|联系人姓名|اسم المنتج|Companion name|Filename|Username|Produktname|Kundenbetreuername|Termék neve|Tuotteen nimi'.split(
      '|',
    ),
  )('%j names none', (header) => {
    expect(detectColumns(['LEI', header], {}).name).toBeNull()
  })

  test.each([
    ['Company (required)', 'Company (required)'],
    ['Firma (laut Handelsregister)', 'Firma (laut Handelsregister)'],
    ['Razón Social (obligatorio)', 'Razón Social (obligatorio)'],
    ['公司名称（必填）', '公司名称（必填）'],
    ['회사명 (정식명칭)', '회사명 (정식명칭)'],
    ['Company (ID)', null],
    ['Kunde (Nr.)', null],
    ['Firma (Ansprechpartner)', null],
    ['会社名（カナ）', null],
  ])('A note behind %j is read as %j', (header, name) => {
    expect(detectColumns(['LEI', header], {}).name).toBe(name)
  })
})

test.each([
  ['Municipalité', 'Localité'],
  ['Municipalidad', 'Ciudad'],
  ['Nazwa gminy', 'Miejscowość'],
  ['Gemeentenaam', 'Plaats'],
  ['Gemeindename', 'Ort'],
])('next to %s, the town is in %s', (municipality, town) => {
  const samples = new Map([municipality, town].map((column) => [column, ['Alba', 'Borgo', 'Cala']]))
  const [first] = listPlaceColumns([municipality, town], samples)
  expect(first?.column).toBe(town)
})

describe('headers in the definite form, with an article or as abbreviations', () => {
  const definite = {
    city: 'Orten|Staden|Byen|Градът|Градот|Qyteti|Orașul|Localitatea|Municipiul|Borgin|העיר|The town|La ville|La ciudad|Die Stadt|De plaats|A cidade|Η πόλη|A város',
    region: 'Länet|Fylket|Областта|Județul|Regionen|Regiunea|The region|La región',
    country: 'Landet|Държавата|Државата|Shteti|Țara|Landið|Le pays|El país|Das Land|The country',
    postal: 'Postnumret|Postnummeret|Пощенският код|Codul poștal|The postcode',
    address: "Adressen|Адресът|Адресата|Adresa|Heimilisfangið|הכתובת|L'adresse|The address|Die Adresse",
  }
  const abbreviated = {
    city: 'Loc|Mun|Opšt|Mpio|гр',
    region: 'Jud|Prov|Dép|Dpto|woj|Žup|Okr|Obl|обл|Pow|Νομ',
    address: 'Adr|Str|Ul',
  }

  test.each(Object.entries(definite))('a %s', (part, headers) => {
    const wrong = headers.split('|').filter((header) => parsePlaceHeader(header)?.part !== part)
    expect(wrong).toEqual([])
  })

  test.each(Object.entries(abbreviated))('a %s, with and without its point', (part, headers) => {
    const all = headers.split('|').flatMap((one) => [one, `${one}.`, one.toUpperCase()])
    expect(all.filter((header) => parsePlaceHeader(header)?.part !== part)).toEqual([])
  })

  test.each(['The', 'La', 'The poste', 'A', 'El correo', 'Die Nummer', 'De'])(
    '%j names no place',
    (header) => {
      expect(parsePlaceHeader(header)).toBeNull()
    },
  )

  test.each(['ADR_LOCALITATE|ADR_JUDET', 'Municipiu/Oraș/Comună|Jud.', 'Localitatea|Județul'])(
    'a Romanian list with %s has a place and numbers',
    (place) => {
      const [town = '', county = ''] = cells(place)
      const numbers = ['Reg. Com.', 'Număr de ordine în registrul comerțului', 'Nr. R.C.']
      for (const number of numbers) {
        const found = detectColumns(['Denumire agent economic', number, town, county], {})
        expect(found.name).toBe('Denumire agent economic')
        expect(found.location).toEqual(expect.objectContaining({}))
        expect(JSON.stringify(found)).toContain(JSON.stringify(town))
        expect(JSON.stringify(found)).toContain(JSON.stringify(county))
        expect(found.identifiers.registration_id).toBe(number)
      }
    },
  )
})
