import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** As much of WebAssembly as is used here: the types of Node have none of it. */
interface WasmApi {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

/** What chardetng-wasm exports; its own JavaScript imports the .wasm file, which Node 20 refuses. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  encodingdetector_new(): number
  encodingdetector_feed(detector: number, at: number, length: number, isLast: number): number
  encodingdetector_guess(place: number, detector: number, at: number, length: number, allowUtf8: number): void
  __wbg_encodingdetector_free(detector: number): void
  __wbindgen_add_to_stack_pointer(bytes: number): number
  __wbindgen_malloc(bytes: number): number
}

let loaded: Exports | null = null

function load(): Exports {
  const require = createRequire(import.meta.url)
  const path = require.resolve('chardetng-wasm/dist/chardetng_wasm_bg.wasm')
  const __wbindgen_throw = () => {
    throw new Error('chardetng failed')
  }
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: WasmApi }).WebAssembly
  const { exports } = new Instance(new Module(readFileSync(path)), {
    './chardetng_wasm_bg.js': { __wbindgen_throw },
  })
  return (loaded = exports as Exports)
}

/** The name of the encoding that `sample`, which is not UTF-8, is most likely in; lower case. */
export function guessEncoding(sample: Buffer): string {
  const wasm = loaded ?? load()
  const detector = wasm.encodingdetector_new()
  const place = wasm.__wbindgen_add_to_stack_pointer(-16)
  try {
    // The detector takes the bytes over, and frees them.
    const at = wasm.__wbindgen_malloc(sample.length)
    new Uint8Array(wasm.memory.buffer).set(sample, at)
    wasm.encodingdetector_feed(detector, at, sample.length, 1)
    wasm.encodingdetector_guess(place, detector, 0, 0, 0)
    const view = new DataView(wasm.memory.buffer)
    const nameAt = view.getUint32(place, true)
    const nameBytes = view.getUint32(place + 4, true)
    return Buffer.from(wasm.memory.buffer, nameAt, nameBytes).toString('latin1').toLowerCase()
  } finally {
    wasm.__wbindgen_add_to_stack_pointer(16)
    wasm.__wbg_encodingdetector_free(detector)
  }
}
