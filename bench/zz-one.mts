import { openRegistry } from '../src/registry/registry.js'
import { readRegistry } from '../src/registry/read-registry.js'
const r: any = readRegistry(process.argv[2] ?? null)
for (const line of process.argv.slice(3)) {
  const [name, place] = line.split('|')
  const a: any = r.resolve({ name, location: place ?? null, context: null })
  console.log(line, '=>', a.match_status ?? a.status ?? '', a.match_confidence, a.legal_entity?.name ?? a.entity?.name ?? '', JSON.stringify(a.factors?.map((f: any) => f.description)).slice(0, 600))
  if (process.env.F) console.log(JSON.stringify(a).slice(0, 1500))
}
