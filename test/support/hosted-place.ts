import { onTestFinished } from 'vitest'
import { at, canary, companiesCsv, createPlace, quickConfig, type CliOptions, type CliPlace } from './cli.js'
import { startStrangeService, type StrangeService, type StrangeServiceOptions } from './strange-service.js'

/** Concurrent tests pass the `onTestFinished` of their context. */
type WhenFinished = typeof onTestFinished

/** A service that takes the key of the commands and ends with the test. */
export async function startHosted(
  options: StrangeServiceOptions = {},
  whenFinished: WhenFinished = onTestFinished,
): Promise<StrangeService> {
  const service = await startStrangeService({ apiKey: canary, ...options })
  whenFinished(() => service.close())
  return service
}

interface HostedPlace {
  readonly place: CliPlace
  readonly service: StrangeService
  /** Options of a command that uses the service. */
  readonly hosted: CliOptions
}

export interface HostedPlaceOptions extends StrangeServiceOptions {
  /** Replaces keys of `quickConfig`. */
  readonly config?: object
}

/** A place with a list of these names, a quick config and a service. */
export async function createHostedPlace(
  names: readonly string[],
  { config = {}, ...options }: HostedPlaceOptions = {},
  whenFinished: WhenFinished = onTestFinished,
): Promise<HostedPlace> {
  const place = createPlace(whenFinished)
  place.write('companies.csv', companiesCsv(names))
  place.write('pipeline.config.json', JSON.stringify({ ...quickConfig, ...config }))
  const service = await startHosted(options, whenFinished)
  return { place, service, hosted: at(service) }
}
