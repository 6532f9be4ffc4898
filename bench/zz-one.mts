import { readQuery, findCandidateNames } from '../src/registry/answer/resolve.js'
import { decide, rankCompanies } from '../src/registry/match/rank.js'
import { classifyEvidence } from '../src/registry/match/evidence.js'
import { classifyNameWord } from '../src/registry/match/compare-words.js'
import { openRegistry } from '../src/registry/registry.js'
import { featureNames } from '../src/registry/match/features.js'
import { fittedCoefficients } from '../src/registry/match/model.js'
const [path, ...qs] = process.argv.slice(2)
const registry = openRegistry(path!, { readonly: true })
const { resolveDeps } = registry
for (const q of qs) {
  const [name = '', location = null] = q.split('|')
  const asked = readQuery({ name, location }, resolveDeps.vocabulary())!
  const found = findCandidateNames(asked, resolveDeps, () => false)
  const r = rankCompanies(asked, found, resolveDeps.vocabulary())
  const d: any = decide(r)
  console.log('##', q, '=>', d.kind, d.confidence)
  for (const best of r.ranked.slice(0, 2)) {
    const c = best.evidence.comparison
    console.log('  ', c.candidate.name, c.candidate.place.cityKey, 'score', best.score.toFixed(2), 'share', best.share.toFixed(3), classifyEvidence(best.evidence), c.matchType, best.evidence.place, c.form, 'al', c.alignment.start, c.alignment.end, 'telling', c.sharedTelling)
    console.log('    text', c.text.words.map((w: any) => `${w.separator}${w.text}:${w.wordClass}`).join(' '), '| tokens', c.candidate.tokens.map((t: string) => t + ':' + classifyNameWord(t)).join(' '), '| left', c.left.map((l: any) => `${l.word.text}:${l.position}:${l.role}`).join(' '), '| missing', c.alignment.missing.join(), '| loose', c.looseWords.join())
    if (process.env.F) console.log('    ' + featureNames.map((n, i) => [n, best.features[i]!, fittedCoefficients.company[i]!] as const).filter(([, v]) => v !== 0).map(([n, v, w]) => `${n}=${(v * w).toFixed(2)}`).join(' '))
  }
}
registry.close()
