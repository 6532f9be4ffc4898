import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

/** A certificate for a name that nobody signed but itself, made anew: node:crypto has keys, X.509 is written here. */
export function selfSigned(hostname = 'localhost'): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = toBeSigned(publicKey, hostname)
  const der = sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, privateKey)))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}

function element(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const length =
    content.length < 128 ? [content.length] : [0x82, Math.floor(content.length / 256), content.length % 256]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...contents: Buffer[]) => element(0x30, ...contents)
const bitString = (bytes: Buffer) => element(0x03, Buffer.from([0]), bytes)
const integer = (value: number) => element(0x02, Buffer.from([value]))
const time = (text: string) => element(0x18, Buffer.from(text))

/** 1.2.840.10045.4.3.2 */
const ecdsaWithSha256 = sequence(element(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
/** 2.5.4.3 */
const commonName = element(0x06, Buffer.from('550403', 'hex'))

function toBeSigned(publicKey: KeyObject, hostname: string): Buffer {
  const name = sequence(element(0x31, sequence(commonName, element(0x0c, Buffer.from(hostname)))))
  return sequence(
    element(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(time('20200101000000Z'), time('20991231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
}
