/** Chunks of valid UTF-8 that end with whole characters, as strings. */
export async function* textPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk.toString('utf8')
}
