import { createS3Connector } from '../../src/connectors/objects/s3.js'
import { testPlatform } from './object-place.js'

/** Publishes a file to an address of S3. */
export async function main(environment: string, path: string, address: string): Promise<void> {
  const target = createS3Connector(testPlatform()).openTarget(address, {
    environment: JSON.parse(environment) as Record<string, string>,
    notice: () => undefined,
    mode: 'replace',
    keyColumn: null,
  })
  await target.publish(path)
  await target.close()
}
