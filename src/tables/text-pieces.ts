import { StringDecoder } from 'node:string_decoder'
import { fileError } from './file-error.js'
import type { ByteSource } from './bytes.js'

/** The text of a file, UTF-8, piece by piece; a byte order mark is left out. */
export async function* textPieces({ bytes, label }: ByteSource): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let isFirst = true
  try {
    for await (const chunk of bytes()) {
      const piece = decoder.write(chunk)
      if (piece === '') continue
      yield isFirst ? piece.replace(/^\ufeff/, '') : piece
      isFirst = false
    }
  } catch (error) {
    throw fileError(error, label)
  }
  const rest = decoder.end()
  if (rest !== '') yield rest
}
