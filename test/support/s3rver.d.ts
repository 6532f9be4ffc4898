declare module '@20minutes/s3rver' {
  import type { Server } from 'node:http'

  export default class S3rver {
    constructor(options: Record<string, unknown>)
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
    readonly httpServer: Server
  }
}

declare module '@20minutes/s3rver/lib/models/account.js' {
  const account: { DUMMY_ACCOUNT: { createKeyPair(accessKeyId: string, secretAccessKey: string): void } }
  export default account
}
