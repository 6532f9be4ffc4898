import { readText } from '../src/registry/match/query-text.js'
for (const t of process.argv.slice(2)) {
  const x = readText(t, { placeWords: new Set(), isWord: () => true, isNearWord: () => false })
  console.log(t, '=>', x?.words.map((w) => `${w.text}:${w.wordClass}${w.separator}`).join(' '))
}
