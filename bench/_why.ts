import { openRegistry } from '../src/registry/registry.js'
import { findCandidateNames, readQuery } from '../src/registry/answer/resolve.js'
import { featureNames } from '../src/registry/match/features.js'
import { fittedCoefficients, weighParts } from '../src/registry/match/model.js'
import { rankCompanies } from '../src/registry/match/rank.js'
import { decide } from '../src/registry/match/decide.js'
const [name = '', location, n = '3'] = process.argv.slice(2)
const { resolveDeps } = openRegistry(process.env.REG ?? '/tmp/w/align/reg.sqlite', { readonly: true })
const asked = readQuery({ name, location: location || null }, resolveDeps.vocabulary())
if (asked === null) throw new Error('none')
for (const t of asked.texts)
  console.log(
    t.words.map((w) => `${w.isApart ? '| ' : ''}${w.text}:${w.wordClass}`).join('  '),
    '=>',
    t.coreKey,
    t.cut,
    JSON.stringify(t.forms.map((f) => f.words.join(' '))),
  )
const found = findCandidateNames(asked, resolveDeps)
const ranking = rankCompanies(asked, found, resolveDeps.vocabulary())
const d = decide(ranking)
console.log(found.length, 'names', d.kind, d.kind === 'none' ? '' : d.confidence)
for (const c of ranking.ranked.slice(0, Number(n))) {
  const { comparison: k, place } = c.evidence
  console.log(
    `\n${c.share.toFixed(3)} ${c.score.toFixed(2)} ${k.candidate.name} [${k.candidate.tokens.join(' ')}] ${k.matchType} ${k.isPart ? 'part' : ''} ${k.form} ${place} cost ${k.alignment.cost.toFixed(2)} sim ${k.similarity.toFixed(2)} left ${k.left.map((l) => `${l.word.text}:${l.position}:${l.role ?? l.word.wordClass}`).join(',')} missing ${k.alignment.missing.map((m) => k.candidate.tokens[m]).join(',')}`,
  )
  console.log(
    c.features
      .map((f, i) => [featureNames[i], f * (fittedCoefficients.company[i] ?? 0)] as const)
      .filter(([, w]) => Math.abs(w) > 0.25)
      .map(([f, w]) => `${f} ${w.toFixed(2)}`)
      .join(', '),
  )
}
console.log(
  [...weighParts(ranking.ranked[0]?.features ?? [], ranking.decisionFeatures)]
    .map(([p, w]) => `${p} ${w.toFixed(2)}`)
    .join(', '),
)
