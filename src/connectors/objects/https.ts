import type { Connector } from '../connector.js'
export declare const httpsConnector: Connector
