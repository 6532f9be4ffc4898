declare module '@20minutes/s3rver' {
  export default class S3rver {
    constructor(options: Record<string, unknown>)
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
    readonly httpServer: import('node:http').Server
  }
}

declare module '@20minutes/s3rver/lib/models/account.js' {
  const account: { DUMMY_ACCOUNT: { createKeyPair(accessKeyId: string, secretAccessKey: string): void } }
  export default account
}
