import { openRegistry } from '../src/registry/registry.js'
import { findCandidateNames, readQuery } from '../src/registry/answer/resolve.js'
import { scoreCompanies, rankCompanies } from '../src/registry/match/rank.js'
import { featureNames } from '../src/registry/match/features.js'
import { fittedCoefficients, decisionFeatureNames } from '../src/registry/match/model.js'
const { resolveDeps } = openRegistry(process.env.R ?? '/tmp/f/R.sqlite', { readonly: true })
const top = Number(process.env.TOP ?? 2)
for (const line of process.argv.slice(2)) {
  const [name = '', location = ''] = line.split('|').map((x) => x.trim())
  const asked = readQuery({ name, location: location === '' ? null : location }, resolveDeps.vocabulary())
  if (asked === null) {
    console.log('null')
    continue
  }
  for (const text of (asked as any).texts ?? [])
    console.log(
      'TEXT',
      text.how,
      text.words.map((w: any) => `${w.text}:${w.wordClass}${w.isApart ? '!' : ''}`).join(' '),
      'forms',
      text.forms.map((f: any) => f.words.join(' ') + '=' + f.formClass).join(','),
    )
  const found = findCandidateNames(asked, resolveDeps)
  console.log('found', found.length)
  const companies = scoreCompanies(asked, found, resolveDeps.vocabulary(), () => 0, fittedCoefficients)
  for (const c of companies.slice(0, top)) {
    const k = c.evidence.comparison
    console.log(
      '  ',
      c.score.toFixed(2),
      k.candidate.name,
      '[',
      k.candidate.tokens.join(' '),
      ']',
      k.matchType,
      k.form,
      c.evidence.place,
    )
    const parts = featureNames
      .map((n, i) => [n, c.features[i] ?? 0, fittedCoefficients.company[i] ?? 0] as const)
      .filter(([, v, w]) => v * w !== 0)
      .map(([n, v, w]) => [n, v, v * w] as const)
      .sort((a, b) => b[2] - a[2])
    console.log('     ', parts.map(([n, v, p]) => `${n}(${v.toFixed(1)}) ${p.toFixed(2)}`).join(', '))
  }
  const r = rankCompanies(asked, found, resolveDeps.vocabulary())
  console.log(
    '  share',
    r.ranked[0]?.share.toFixed(3),
    decisionFeatureNames
      .map(
        (n, i) =>
          [
            n,
            r.decisionFeatures[i] ?? 0,
            (fittedCoefficients.decision[i] ?? 0) * (r.decisionFeatures[i] ?? 0),
          ] as const,
      )
      .filter(([, , p]) => Math.abs(p) > 0.01)
      .sort((a, b) => b[2] - a[2])
      .map(([n, v, p]) => `${n}(${v.toFixed(1)}) ${p.toFixed(2)}`)
      .join(', '),
  )
}
