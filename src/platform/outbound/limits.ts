/** Of requests to addresses that users name: looking a name up, connecting, and what is read of the answer. */
export const outboundLimits = {
  /** Looking a receiver's name up: a try, and their number. */
  resolveTryMs: 2_000,
  resolveTriesMax: 2,
  /** One address of a receiver; the next is tried after it. */
  connectMsMax: 5_000,
  /** What is read of a receiver's answer behind the status. */
  receiverAnswerBytesMax: 64 * 1024,
} as const
