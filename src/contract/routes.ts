import { routesV1 } from './routes/v1.js'
import { routesV2 } from './routes/v2.js'
import { routesV3 } from './routes/v3.js'

export { methodsOf, versionOf, type Route, type RouteLimit, type Version } from './routes/route.js'

/** The whole interface (interface: "Endpoints"), in the order of its versions. */
export const routes = { ...routesV1, ...routesV2, ...routesV3 } as const
export type RouteName = keyof typeof routes
