import type { Connector } from '../connector.js'
export declare const sqliteConnector: Connector
