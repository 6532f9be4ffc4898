import { headerKeys } from './header-key.js'

/** Headers that are believed whatever stands below them: names may be digits and signs alone. */
export const surelyNameHeaders: readonly string[] = headerKeys(
  'company name|company|legal name|organization name|organisation name|organization|organisation|account name',
)

/** Headers that say that they hold a company's name, best first. */
export const companyNameHeaders: readonly string[] = [
  ...headerKeys(
    'company name|company|legal name|organization name|organisation name|organization|organisation|account name',
    'business name|entity name|firm name|employer|customer name|vendor name|supplier name',
    'company legal name|legal entity name|registered name|registered company name|corporate name|name of company',
    'client name|debtor name|creditor name|merchant name|partner name|counterparty name|issuer name|borrower name',
    'employer name|institution name|account account name|company account|associated company|primary company|parent account name',
    // German, Dutch, the North
    'Firmenname|Firmenbezeichnung|Unternehmensname|Name des Unternehmens|Firmierung|Kundenname|Lieferantenname',
    'Debitorname|Debitorenname|Kreditorname|Kreditorenname|Name (Adressattyp Unternehmen)|Name der Firma|Name 1|Name1',
    'Bedrijfsnaam|Naam bedrijf|Ondernemingsnaam|Klantnaam|Statutaire naam|Handelsnaam|Firmanaam|Relatienaam',
    'Företagsnamn|Bolagsnamn|Kundnamn|Firmanamn|Virksomhedsnavn|Firmanavn|Selskabsnavn|Kundenavn|Selskapsnavn',
    'Bedriftsnavn|Foretaksnavn|Leverandørnavn|Organisasjonsnavn|Yrityksen nimi|Toiminimi|Asiakkaan nimi',
    // French, Spanish, Italian, Portuguese, Romanian
    "Nom de l'entreprise|Nom entreprise|Raison sociale|Nom de la société|Nom société|Dénomination sociale|Dénomination",
    'Nom du client|Nom client|Nom du fournisseur|Nom du compte|Nom commercial',
    'Razón social|Nombre de la empresa|Nombre empresa|Denominación social|Denominación|Nombre del cliente',
    'Nombre cliente|Nombre del proveedor|Nombre de la cuenta|Nombre comercial',
    'Ragione sociale|Nome azienda|Nome società|Denominazione sociale|Denominazione|Nome cliente|Nome account',
    'Razão social|Nome da empresa|Nome empresarial|Denominação social|Nome do cliente|Nome da conta|Nome fantasia',
    'Nume companie|Denumire firmă|Denumire companie|Nume firmă',
    // Polish, Czech, Slovak, Hungarian, Turkish, Greek
    'Nazwa firmy|Nazwa spółki|Nazwa klienta|Nazwa kontrahenta|Nazwa przedsiębiorstwa|Pełna nazwa',
    'Název firmy|Název společnosti|Obchodní firma|Obchodní název|Názov spoločnosti|Názov firmy|Obchodné meno',
    'Cégnév|Cég neve|Vállalat neve|Ügyfél neve|Şirket adı|Şirket ünvanı|Firma adı|Firma ünvanı|Ticaret unvanı',
    'Müşteri adı|Cari adı|Επωνυμία|Επωνυμία εταιρείας',
    // Russian, Ukrainian
    'Название компании|Наименование компании|Наименование организации|Название организации|Полное наименование',
    'Наименование контрагента|Краткое наименование|Назва компанії|Назва організації',
    // Japanese, Chinese, Korean
    '会社名|企業名|法人名|法人名称|商号|商号又は名称|社名|取引先名|顧客名|得意先名|仕入先名|組織名|団体名|アカウント名',
    '公司名称|公司名稱|公司名|企业名称|企業名稱|客户名称|客戶名稱|单位名称|單位名稱|供应商名称|供應商名稱|机构名称|组织名称',
    '회사명|회사 이름|기업명|상호|상호명|법인명|업체명|고객사명|거래처명|고객명|사업자명',
    'اسم الشركة|שם החברה',
  ),
  // What a company is to the one who keeps the list.
  ...headerKeys(
    'Firma|Unternehmen|Kunde|Lieferant|Debitor|Kreditor|Geschäftspartner|Gesellschaft|Auftraggeber|Arbeitgeber',
    'Entreprise|Société|Client|Fournisseur|Employeur|Empresa|Compañía|Sociedad|Cliente|Proveedor|Organización',
    'Azienda|Società|Impresa|Ditta|Fornitore|Fornecedor|Companhia|Sociedade|Companie|Furnizor',
    'Bedrijf|Onderneming|Klant|Leverancier|Organisatie|Företag|Bolag|Kund|Leverantör|Virksomhed|Selskab|Leverandør',
    'Selskap|Bedrift|Foretak|Yritys|Asiakas|Spółka|Przedsiębiorstwo|Klient|Kontrahent|Dostawca|Organizacja',
    'Společnost|Zákazník|Odběratel|Dodavatel|Spoločnosť|Cég|Vállalat|Şirket|Müşteri|Tedarikçi|Εταιρεία',
    'Компания|Организация|Фирма|Предприятие|Контрагент|Клиент|Заказчик|Поставщик|Юридическое лицо|Компанія',
    '会社|取引先|勤務先|公司|企业|客户|客戶|供应商|供應商|회사|고객사|거래처|공급업체',
    'customer|client|supplier|vendor|debtor|creditor|counterparty|merchant|issuer|borrower|account|business|firm',
  ),
]

/** A name of something; a person's where the table has a person's first or last name too. */
export const plainNameHeaders: readonly string[] = headerKeys(
  'name|full name|display name|title name|nom|nombre|nome|naam|namn|navn|nimi|nazwa|název|názov|név|nume',
  '名称|名稱|Наименование|Название',
)

export const personHeaders: ReadonlySet<string> = new Set(
  headerKeys(
    'first name|last name|given name|family name|surname|forename|middle name|Vorname|Nachname|Familienname|Prénom',
    'Nom de famille|Apellido|Apellidos|Cognome|Sobrenome|Apelido|Voornaam|Achternaam|Imię|Nazwisko|Förnamn|Efternamn',
    'Fornavn|Efternavn|Etternavn|Etunimi|Sukunimi|Jméno|Příjmení|Soyadı|Soyad|名|姓|Имя|Фамилия|salutation|Anrede',
  ),
)
