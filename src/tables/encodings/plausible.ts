/** Of the words with letters beyond ASCII, so many may look odd in a reading that is right. */
const oddShareMax = 0.08

/** Whether text reads as names do: a wrong encoding puts signs, foreign letters and capitals inside words. */
export function isPlausible(text: string): boolean {
  const words = wordsBeyondAscii(text)
  return words.filter(isOddWord).length <= words.length * oddShareMax
}

export function wordsBeyondAscii(text: string): string[] {
  return text.split(/[\s,;|"()[\]{}<>/]+/).filter((word) => /[^\p{ASCII}]/u.test(word))
}

export function isOddWord(word: string): boolean {
  return (
    // Diacritics that stand alone, and signs that no keyboard has, are in no name.
    /[\p{Cc}\p{Co}\p{Cn}¤¦¨¸\u02c6-\u02dd]/u.test(word) ||
    signInside.test(word) ||
    capitalInside.test(word) ||
    eastAsianBesideLatin.test(word) ||
    /\p{Script=Hangul}\p{Script=Han}|\p{Script=Han}\p{Script=Hangul}/u.test(word) ||
    scripts.filter((script) => script.test(word)).length > 1
  )
}

/** Full-width signs of East Asia, and what stands for an apostrophe, a hyphen or a middle dot, join letters. */
const signInside = /\p{L}[^\p{ASCII}\p{L}\p{M}\p{Nd}’‘–—·´\u3000-\u30ff\uff00-\uff65]+\p{L}/u
const capitalInside =
  /\p{Ll}(?=[^\p{ASCII}])\p{Lu}|\p{L}(?=[^\p{ASCII}])\p{Lu}\p{Ll}|\p{Lu}(?=[^\p{ASCII}ßªº])\p{Ll}\p{Lu}/u
/** Small letters stand beside none, and none stands alone among capitals. */
const eastAsianBesideLatin = /[a-z][\u2e80-\uffdc]|[\u2e80-\uffdc][a-z]|[A-Z][\u2e80-\uffdc][A-Z]/

/** No word mixes these; Hebrew, Arabic and Thai with their marks. */
const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /[\u0591-\u05f4]/,
  /[\u0600-\u06ff]/,
  /[\u0e00-\u0e7f]/,
  /\p{Script=Hangul}/u,
  /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
]
