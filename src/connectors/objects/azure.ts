import type { Connector } from '../connector.js'
export declare const azureConnector: Connector
