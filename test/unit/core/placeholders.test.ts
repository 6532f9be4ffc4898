import { describe, expect, test } from 'vitest'
import { isPlaceholder } from '../../../src/core/lookup-identity.js'

test.each([
  '(chưa có tên)|chưa có tên|đang cập nhật|(Đang cập nhật)|[no name yet]|(name to follow)|Name folgt|(wird nachgereicht)|nom à venir',
  '(nombre pendiente)|nome da definire|naam volgt|название уточняется|(güncelleniyor)|henüz adı yok|belum ada nama|（暂无名称）|社名未定|상호 미정',
  'n/a|N/A|N / A|n.a.|NA|#N/A|NULL|(null)|\\N|None|nan|NaN|undefined|nil',
  'unknown|UNKNOWN|Unknown.|"unknown"|[unknown]|*unknown*|not available|not_available|Not-Available|TBD|t.b.d.|(blank)',
  '-|--|–|—|―|−|...|…|?|???|.|/|*|_|( )|„“|！？|・|xxx|XXXX|0|000|0.00',
  'ＮＵＬＬ|ｎ／ａ|unknown\u00a0|\u3000不明\u3000|un\u00adknown|Not  known|keine\tAngabe',
  'b/d|B/D|b.d.|k/A|o/A|n/v/t|N/V/T|б/д|Б/Д|н/д|н/в|n/p|N/P|i/o|nie dot.',
  'k.A.|k. A.|keine Angabe|keine  Angaben|Unbekannt|N.N.|nicht verfügbar|nicht verfugbar|(Leer)',
  'inconnu|non renseigné|NON RENSEIGNE|néant|Aucun|sans objet|(vide)',
  'sin datos|S/D|desconocido|no aplica|sin información|sin informacion|(en blanco)',
  'não informado|nao informado|desconhecido|sem dados|N/D|sconosciuto|nessuno|non disponibile',
  'onbekend|n.v.t.|geen|okänd|uppgift saknas|ukendt|ikke oppgitt|ei tiedossa|tuntematon',
  'brak danych|nie podano|Neuvedeno|není k dispozici|neznáme|ismeretlen|nincs adat|necunoscut|fără nume',
  'nepoznato|ni podatka|teadmata|nav datu|nėra duomenų|άγνωστο|ΑΓΝΩΣΤΟΣ|χωρίς όνομα|Δ/Υ',
  'bilinmiyor|BİLİNMİYOR|BILINMIYOR|belirtilmemiş|yok|нет данных|НЕ УКАЗАНО|Н/Д|невідомо|няма данни',
  'לא ידוע|אין|غير معروف|لا يوجد|نامشخص|अज्ञात|उपलब्ध नहीं|ไม่ทราบ|không rõ|khong xac dinh|tidak diketahui',
  '不明|なし|ナシ|ﾅｼ|「不明」|無し|未定|无|未知|不详|暂无|（空白）|없음|미상|알 수 없음|해당 없음',
  '#REF!|#VALUE!|#DIV/0!|#NAME?|#NUM!|#SPILL!|#NV|#BEZUG!|#WERT!|#¡REF!|#¿NOMBRE?|#NOM?|#RIF!|#N/D|#VERW!|#SAKNAS!',
  '#PUUTTUU!|#ADR!|#NENÍ_K_DISPOZICI|#HIÁNYZIK|#Н/Д|#ССЫЛКА!|#YOK|#SAYI/0!|#DEĞER!|Err:502',
  'Cash Customer|Walk-in customer|ONE-TIME VENDOR|Sundry Creditors|Various suppliers|Laufkundschaft|Diverse Kunden|CPD-Konto',
  'Clients divers|Clientes varios|Público en general|Consumidor final|Clienti vari|Diverse klanten|Osoba fizyczna|Физлицо',
  'Khách lẻ|KHÁCH VÃNG LAI|Khách hàng lẻ|Pelanggan Umum|ลูกค้าทั่วไป|Разовый покупатель|Klient indywidualny|Alkalmi vevő',
  'Nakit müşteri|Πελάτες λιανικής|Client ocazional|Cliente de paso|Cliente avulso|CPD-Lieferant|Private customer|Walk-in',
  'House Account|Cash A/c|CASH A/C.|Petty Cash|Opening Balance|Old Balance B/F|Balance B/F|Bal. C/F|Brought forward|-do-|- Do -',
  'Testni kupac|TEST|Testiasiakas|Testkund|Testklant|Cliente de prueba|Client de test|Klient testowy|Тестовый клиент|テスト|Teszt',
  'nema|Maloprodaja|Kupac u gotovini|Razni kupci|Građani|Малопродаја|Търговия на дребно|Λιανική|Розничный клиент|Mazumtirdzniecība',
  'Käteisasiakas|Vähittäisasiakas|Butikskund|Engangskunde|Vendita al dettaglio|Sprzedaż detaliczna|Maloobchod|Jaemüük|Retail sales',
  'Poistettu asiakas|Raderad kund|Slettet kunde|Gelöschter Kunde|Kunde gelöscht|Client supprimé|Cliente eliminado|Klient usunięty',
  'brisano|Kupac obrisan|Izbrisana stranka|Smazaný zákazník|Törölt vevő|Client șters|Удалённый клиент|Ištrintas klientas|已删除客户',
  "Ne postoji|Ei ole olemassa|Finns inte|Existiert nicht|N'existe pas|No existe|Non esiste|Nie istnieje|Neexistuje|Не существует",
  'Suspense A/c|Saldo anterior|Conta caixa|Kasse|Anfangsbestand|A nouveau|À-nouveau|Saldo iniziale|Beginsaldo|Alkusaldo',
  'Сальдо начальное|Касса|Подотчетные лица|Подотчётные лица|Розничный покупатель|Физ. лицо|Початкове сальдо|Açılış Bakiyesi',
  'رصيد افتتاحي|ابتدائی بیلنس|יתרת פתיחה|प्रारंभिक शेष|ยอดยกมา|Số dư đầu kỳ|Saldo awal|前期繰越|期初余额|전기이월|Jismoniy shaxs',
  '무기명|확인중|거래처 확인요|테스트업체|미등록 거래처|要確認|テスト会社|测试公司|სატესტო|იგივე|სახელწოდება უცნობია|დასაზუსტებელია',
  'тодорхойгүй|Мэдээлэл байхгүй|nie beskikbaar nie|უცნობია|არ არის|Անհայտ|Naməlum|គ្មានទិន្នន័យ|ບໍ່ມີຂໍ້ມູນ|မသိရ|थाहा छैन|නොදනී|தெரியவில்லை',
  'অজানা|haijulikani|ያልታወቀ|i panjohur|нема податоци|ekki þekkt|Ekkert|Vantar|mhux magħruf|Walang pangalan|ezezaguna|desconegut|Descoñecido|enkoni|Noma’lum',
  'Klient test|Klient i panjohur|Konsumator final|PA NIPT|Test customer|Unknown customer|Testkunde|Nepoznat kupac|Непознат купувач',
  'Краен потрошувач|Άγνωστος πελάτης|Client necunoscut|Neznana stranka|Teszt vevő|Nieznany klient|Final consumer|기타|개인|거래중지|테스트 거래처',
  'белгисиз|белгісіз|номаълум аст|näbelli|Kontantverkope|Бэлэн борлуулалт|Касс|ნაღდი გაყიდვა|Nağd satış|Fiziki şəxs|Staðgreiðsla',
  'Clients divers|Divers clients|CLIENT PASSAGER|Passager|Vente comptant|Espèces|حريف عابر|現金|现金|현금|CONSUMIDOR FINAL|9999999999999|9999999999',
  'Kunden diverse|Gotówka|Готівка|Nakit satış|Nağd alıcı|Venda à vista|Tiền mặt|Müxtəlif alıcılar|Barverkauf|Consumidores finales',
  'pata nahi|Theriyadhu|nodani|La yujad|namaloom|Agnosto|NEIZVESTNO|ne ukazano|net dannykh|Nevidomo|lo yadua|khong ro',
  'NE KORISTITI - duplikat|do not use|DO NOT USE - duplicate of 4711|*** Do not use ***|XXX DO NOT USE XXX|nicht verwenden!|Obsolete',
  'Ne pas utiliser (doublon)|No usar / duplicado|NÃO USAR|nao usar|Nie używać – duplikat|Не использовать, дубль|Nepoužívat|使用禁止|사용금지',
  'súkromná osoba|Soukromá osoba|Privatna osoba|Füüsiline isik|Persona privada|M-Pesa Customer|MPESA CUSTOMERS|MoMo customer|Jednorazový zákazník|Různí odběratelé',
  'Cash Customer - Owino|Cash customer: Kololo|Walk-in customer (Gulu)|Diverse Kunden - Köln|Clients divers – Lyon|Clientes varios, Lima',
  'nav|নাই|টেস্ট|टेस्ट|Van Sales|STAFF SALES|Staff sales - Kumasi|Ventes au comptoir|Mitarbeiterverkauf|Продажи сотрудникам|Vendas balcão',
  'zrušené|ZRUŠENO|storniert|Törölve|anulowano|annulé|Cancelled|viď poznámka|viz pozn.|patrz uwagi|lásd megjegyzés|See note!|siehe Bemerkung|voir note|zrušené, viď poznámka|Test record',
  'Hakuna|HAKUNA|Sijui|Imprest|Mengineyo|Wasambazaji mbalimbali|Salio la mwanzo|Ma jiro|Akukho|Ntabyo|የለም|የተለያዩ ደንበኞች|Diverse verskaffers',
  'Staff Advance|STAFF ADVANCES|Staff advance - Wanjiru|Salary advance|Other suppliers|Miscellaneous|Sundry|Mitarbeitervorschuss|Sonstige Lieferanten',
  'Razni kupci|RAZNI DOBAVLJAČI|razni dobavljaci|Storno faktura|Сторно фактура|Остали купци|Разни клиенти|Подотчетни лица|Prenos iz prethodne godine',
  'Avances au personnel|Autres fournisseurs|Suma y sigue|Anticipo de nómina|Otros clientes|Adiantamento a funcionários|Altri fornitori|A riportare',
  'Overige leveranciers|Różni odbiorcy|Zaliczka pracownika|Zálohy zaměstnancům|Ostatní odberatelia|Egyéb vevők|Furnizori diverși|Övriga kunder|Andre leverandører',
  'Muut asiakkaat|Muhtelif cariler|Personel avansı|Прочие поставщики|Аванс сотруднику|Різні покупці|Λοιποί πελάτες|Lain-lain|Pemasok lain-lain|Nhà cung cấp khác',
  'عملاء متفرقون|سلف الموظفين|ספקים שונים|其他客户|员工借款|その他|仮払金|기타 고객|가지급금|कर्मचारी अग्रिम|เงินทดรองจ่าย|Abokan ciniki daban-daban',
  'wala|walang laman|Walang laman|di alam|Di alam|hindi nabanggit|HINDI NAKASAAD|wala pa|blangko',
  's/i|S/I|s / i|S/INF|Sin antecedentes|SIN INFORMACION|sin comuna|sem cadastro|não possui|dato non disponibile|non fourni|pas connu',
  'nicht erfasst|unklar|geen informatie|nog onbekend|ikke registrert|ej ifyllt|ei merkitty|pole andmeid|nav informācijas|nenustatyta',
  'bez danych|nie znaleziono|není vyplněno|nezistené|nincs kitöltve|lipsa date|nije upisano|без података|ni vpisano|без данни|δεν έχει οριστεί',
  'bulunamadı|нет свед.|не известно|дані відсутні|невядома|לא מולא|غير مسجل|माहिती नाही|సమాచారం లేదు|ലഭ്യമല്ല|chưa cung cấp|tidak diisi|ไม่พบข้อมูล',
  '特になし|情報無し|登録なし|未登记|查無此公司|확인불가|해당 사항 없음|hakuna taarifa|bila jina|ያልተገለጸ',
])('Placeholders have no value: %s', (cells) => {
  expect(cells.split('|').filter((cell) => !isPlaceholder(cell))).toEqual([])
})

describe('a name is no placeholder', () => {
  test.each([
    'Unknown Worlds Entertainment|NA Bancshares|None Such Foods|Null Industries|Blank Rome|Missing Link AG|TBD Media|N/A Records',
    'Nav|NAV Norvane|Van Sales Ltd|Staff Sales Norvane GmbH|Vans|Staffing|NN|NV|N.V.|KA|ND|NEMA|NAV|YÖK|Nokia|3M|42|360|1&1|X5|HP|Tom|Leer|Void|Nobody|Nothing|No',
    'Yahoo!|#hashtag|!!!Yes|+Plus|&Co|-Minus-|(RED)|Inconnu SARL|Brak sp. z o.o.|Ingen AB|不明堂|无印良品|없음컴퍼니|Xx',
    'Cash Converters|Sundry Foods|Various Artists|Diverse|Individual|Particular|Private Bank|Retail Customer Services|Divers SA',
    'Espèces Rares SARL|Cash Converters|Passager Larkmoor|Paragon|Kontant|99|99 Bikes|Comptant Norvane SA',
    '🏢🏢|Nessuno S.p.A.|Keine Sorgen Versicherung|Нет Проблем ООО|Ltd',
    'Cash Customer - Norvane Trading|Cash Customer Services Ltd|M-Pesa Africa|Various Suppliers - Larkmoor GmbH|FO|See Larkmoor|Note|Zrušeno s.r.o.|Private Person Ltd',
    'Hakuna Matata Safaris Ltd|Hakuna Larkmoor|Imprest Systems Ltd|Sijui Velsor|Staff Advance Ltd|Other Suppliers Ltd|Sundry Larkmoor|Miscellaneous Goods Co',
    'Avans|Donos|Prenos|Transport|Personal|Report|Storno Norvane|Muhtelif Gıda A.Ş.|Diverse Larkmoor|その他商店|Razno Larkmoor d.o.o.|Altri Fornitori S.r.l.',
    'S.I.|SI|Si|Vacío Studio|Sin Rival|Sin Información Media SpA|No Registra Records|Trống Đồng|Wala|Babu|Unklar Norvane GmbH|無名堂|S/I Norvane',
    'DO|Do|Do & Co|Caixa|Cash|Kasse.Swiss AG|Caja Los Andes|Cassa Depositi e Prestiti|Касса Взаимопомощи|Petty Cash Ltd|Suspense',
  ])('%s', (cells) => {
    expect(cells.split('|').filter(isPlaceholder)).toEqual([])
  })

  test('a blank cell says nothing', () => {
    expect(['', '  ', '\u200b'].filter(isPlaceholder)).toEqual([])
  })
})

test('names with such words are names', () => {
  const names =
    'NEMA|Testi Larkmoor|Test Norvane Oy|Maloprodaja Velmora d.o.o.|Brisano Norvane|Retail Sales Larkmoor Ltd|Teszt Norvane Kft.|Ne postoji problem d.o.o.|Poistettu Larkmoor|Client supprimé Norvane'
  expect(names.split('|').filter(isPlaceholder)).toEqual([])
})

test('a name with a remark is a name', () => {
  const names =
    'Obsolete Media Ltd|Duplikat GmbH|Norvane - do not use|Do Not Use Records|Larkmoor (duplicate)|Duplicate Systems 4711'
  expect(names.split('|').filter(isPlaceholder)).toEqual([])
})
