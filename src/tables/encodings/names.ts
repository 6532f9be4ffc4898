/**
 * Encodings a text file can be said to have. `latin1` is windows-1252, which is what files called Latin-1 are in
 * practice; `utf-8+windows-1252` reads each line that is not UTF-8 as windows-1252.
 */
export const encodingNames = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'latin1',
  'utf-8+windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-5',
  'iso-8859-7',
  'iso-8859-15',
  'koi8-r',
  'koi8-u',
  'macintosh',
  'shift_jis',
  'euc-jp',
  'gbk',
  'gb18030',
  'big5',
  'euc-kr',
] as const
export type Encoding = (typeof encodingNames)[number]

/** Those in which a byte below 0x80 is ASCII, or the second byte of a character, and never a line end by chance. */
export type LegacyEncoding = Exclude<Encoding, 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-8+windows-1252'>

const severalBytes: ReadonlySet<string> = new Set(['shift_jis', 'euc-jp', 'gbk', 'gb18030', 'big5', 'euc-kr'])

/** Whether characters take more than one byte. */
export function isMultiByte(encoding: string): boolean {
  return severalBytes.has(encoding)
}
