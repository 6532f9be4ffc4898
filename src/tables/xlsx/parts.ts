import { posix } from 'node:path'
import type { OpenZip } from '../zip-members.js'
import { readWholeXml } from './xml.js'
import { damagedWorkbook } from './xlsx-error.js'

/** A link from one part of a package to another. */
export interface Relation {
  readonly id: string
  /** The last word of its type: `worksheet`, `styles`. */
  readonly type: string
  /** The part's name in the zip. */
  readonly target: string
}

/** The parts of a workbook, which is a zip. */
export class Parts {
  readonly #names: ReadonlyMap<string, string>

  constructor(
    readonly label: string,
    private readonly zip: OpenZip,
  ) {
    this.#names = new Map(zip.names.map((name) => [keyOf(name), name]))
  }

  has(name: string): boolean {
    return this.#names.has(keyOf(name))
  }

  read(name: string): AsyncGenerator<Buffer> {
    const found = this.#names.get(keyOf(name))
    if (found === undefined) throw damagedWorkbook(this.label, `it has no part ${name}`)
    return this.zip.read(found)
  }

  /** What a part refers to; nothing where it has no list of relations. `''` stands for the package. */
  async relationsOf(part: string): Promise<readonly Relation[]> {
    const folder = posix.dirname(part)
    const list = posix.join(folder, '_rels', `${posix.basename(part)}.rels`)
    if (!this.has(list)) return []
    const relations: Relation[] = []
    await readWholeXml(this.read(list), this.label, {
      open: (name, attribute) => {
        if (name !== 'Relationship' || attribute('TargetMode') === 'External') return
        const type = attribute('Type') ?? ''
        relations.push({
          id: attribute('Id') ?? '',
          type: type.slice(type.lastIndexOf('/') + 1),
          target: posix.join('/', folder, absolute(attribute('Target') ?? '', folder)).slice(1),
        })
      },
    })
    return relations
  }

  close(): void {
    this.zip.close()
  }
}

/** A target that begins with a slash counts from the root, not from the folder. */
function absolute(target: string, folder: string): string {
  return target.startsWith('/') ? posix.relative(posix.join('/', folder), target) : target
}

/** Some programs write backslashes, and capitals as they like. */
function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase()
}
