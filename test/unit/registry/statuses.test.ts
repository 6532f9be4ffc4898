import { expect, test } from 'vitest'
import { findStatus } from '../../../src/registry/reference/registers.js'

/** Statuses that mean the end of a process, by what they say of the company. */
const statuses: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  inactive: {
    en: 'Liquidation closed|Liquidation completed|End of liquidation|Closing of bankruptcy|Struck off under provisional article 7',
    de: 'Liquidation beendet|Beendigung der Liquidation|Abschluss der Liquidation|Aufspaltung',
    fr: 'Liquidation clôturée|Fin de liquidation|Clôture de la faillite|Fusion absorption|Scission totale',
    es: 'Liquidación terminada|Fin de la liquidación|Escisión total',
    it: 'Liquidazione chiusa|Fine liquidazione|Fallimento chiuso|Chiusura del fallimento',
    pt: 'Liquidação encerrada|Encerramento da liquidação|Fim da liquidação|Cisão total',
    pl: 'Likwidacja zakończona|Zakończenie likwidacji|Zakończona likwidacja|Upadłość zakończona',
    cs: 'Likvidace ukončena|Ukončení likvidace|Konkurs ukončen, vymazána|Zanikla fúzí',
    sk: 'Ukončená likvidácia|Likvidácia ukončená',
    ro: 'Lichidare închisă|Închiderea lichidării|Faliment închis|Fuziune prin absorbție',
    bg: 'Приключена ликвидация|Ликвидация приключила',
    el: 'Λήξη εκκαθάρισης|Περάτωση εκκαθάρισης|Πέρας εκκαθάρισης|Συγχωνεύθηκε',
    ru: 'Ликвидация завершена|Завершение процедуры ликвидации|Конкурсное производство завершено',
    uk: 'Ліквідацію завершено|Ліквідація завершена',
    ar: 'انتهاء التصفية|قفل التصفية|إقفال التصفية',
    vi: 'Hoàn tất thủ tục giải thể',
    id: 'Likuidasi selesai',
    ja: '清算結了|清算終結|破産手続終結|職権消除',
    ko: '청산종결등기|파산종결|흡수합병',
    zh: '清算终结|清算程序终结|破产清算终结|已清算|吸收合并',
    tr:
      'TTK Geçici 7. Madde Gereği Terkin|Geçici 7. Madde Resen Terkin|Geçici 7. Maddeye Göre Resen Terkin|Tasfiye Sonu|' +
      'Tasfiye Sonucu Kapanmış|Tasfiye Sonu Terkin|İflasın Kapanması|Münfesih|Gayrifaal|Gayri Faal|Fesih|Feshedilmiş|' +
      'Devren Birleşme Nedeniyle Terkin|Tam Bölünme|Kapanış',
  },
  active: {
    en: 'Liquidation revoked|Left liquidation|Bankruptcy annulled|Revocation of dissolution|Revived|Transfer of registered office',
    de: 'Liquidation aufgehoben|Aufhebung der Liquidation|Fortsetzung der Gesellschaft|Wiedereingetragen|Sitzverlegung',
    fr: 'Liquidation révoquée|Levée de la liquidation|Annulation de la radiation|Réimmatriculée|Transfert de siège',
    es: 'Liquidación revocada|Revocación de la disolución|Traslado de domicilio',
    it: 'Liquidazione revocata|Revoca dello scioglimento|Revoca della liquidazione|Trasferimento sede',
    pt: 'Revogação da liquidação|Reativada|Mudança de sede',
    pl: 'Uchylenie likwidacji|Cofnięcie likwidacji|Ponownie wpisana|Przeniesienie siedziby',
    cs: 'Zrušení likvidace|Přemístění sídla',
    ro: 'Ridicarea lichidării|Revocarea dizolvării|Reînmatriculată|Schimbare sediu',
    bg: 'Отмяна на ликвидацията|Възобновена|Промяна на седалище',
    el: 'Ανάκληση εκκαθάρισης|Ανάκληση λύσης|Αναβίωση|Μεταφορά έδρας',
    ru: 'Отмена ликвидации|Ликвидация отменена|Отмена решения о ликвидации|Восстановлена|Смена адреса',
    uk: 'Скасування рішення про припинення|Скасовано рішення про ліквідацію|Відновлено',
    ar: 'إلغاء التصفية|العدول عن التصفية|إعادة القيد|نقل المقر',
    vi: 'Khôi phục hoạt động',
    id: 'Pembatalan likuidasi|Batal likuidasi|Dipulihkan',
    ja: '会社継続|回復|清算取消|本店移転',
    ko: '회사계속|청산취소|부활|본점이전',
    zh: '撤销清算|撤销注销|恢复登记|迁入|迁出',
    tr:
      'Tasfiyeden Dönme|Tasfiyeden Dönüş|Tasfiyeden Dönülmüş|Tasfiyenin Kaldırılması|İflasın Kaldırılması|Terkinin İptali|' +
      'İhya|İhya Edilmiş|Yeniden Tescil|Nakil|Merkez Nakli|Tür Değiştirme|Faal',
  },
  restructuring: { tr: 'Konkordato|Geçici Mühlet|Kesin Mühlet|Konkordato Kesin Mühlet' },
  // What has not ended is still going on.
  liquidation: {
    en: 'Liquidation not completed|In liquidation',
    de: 'In Liquidation',
    fr: 'Liquidation en cours',
    pl: 'Likwidacja w toku',
    ru: 'В стадии завершения ликвидации',
    tr: 'Tasfiye Halinde|Tasfiyeye Giriş|Tasfiye Sürecinde',
  },
  suspended: { tr: 'Geçici Olarak Kapalı|Geçici Kapanış', en: 'Temporarily closed' },
}

test.each(
  Object.entries(statuses).flatMap(([status, texts]) =>
    Object.entries(texts).map(([language, list]) => [status, language, list.split('|')] as const),
  ),
)('%s in %s: %s', (status, _language, texts) => {
  expect(texts.map((text) => [text, findStatus(text, null)])).toEqual(texts.map((text) => [text, status]))
})

test('the end of a process next to another status leaves that status', () => {
  expect(findStatus('Liquidation aufgehoben, gelöscht', null)).toBe('inactive')
  expect(findStatus('Tasfiyeden Dönme; Faal', null)).toBe('active')
  expect(findStatus('Dissolved, cancelled', null)).toBe('inactive')
})
