import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, test } from 'vitest'
import { createKnowledge } from '../../src/app/registry-adapter.js'
import { openShippedRegistry } from '../../src/registry/read-registry.js'
import { keys, startTestService } from '../support/test-service.js'

async function connect(apiKey: string): Promise<Client> {
  const { service } = await startTestService({ knowledge: createKnowledge(openShippedRegistry()) })
  const client = new Client({ name: 'test', version: '1' }, { jsonSchemaValidator: noValidator })
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/v1/mcp`), {
    requestInit: { headers: { apikey: apiKey } },
  })
  await client.connect(transport)
  return client
}

/** The tool declares no schema of its output, so that there is nothing to validate. */
const noValidator = {
  getValidator: (): never => {
    throw new Error('a tool declares a schema of its output')
  },
}

describe('the official client', () => {
  test('MCP-02 MCP-03 MCP-10 MCP-11 MCP-15 it connects, lists the tool and calls it', async () => {
    const client = await connect(keys.alice)
    expect(client.getServerCapabilities()).toEqual({ tools: {} })
    await client.ping()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_legal_entities'])
    const found = await client.callTool({
      name: 'search_legal_entities',
      arguments: { name: 'Siemens', country_code: 'DE' },
    })
    expect(found.isError).toBe(false)
    expect(found.structuredContent).toMatchObject({
      results: [
        { name: expect.stringMatching(/^Siemens A/), jurisdiction: { country_code: 'DE' } },
        { name: 'Siemens Energy AG', jurisdiction: { country_code: 'DE' } },
      ],
      metadata: { returned: 2 },
    })
    await client.close()
  })

  test('MCP-06 MCP-09 it receives what was wrong with a call', async () => {
    const client = await connect(keys.alice)
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args })
    await expect(call('search_legal_entities', { name: 'Siemens', limit: 1 })).rejects.toMatchObject({
      code: -32_602,
    })
    await expect(call('search', { name: 'Siemens' })).rejects.toMatchObject({ code: -32_602 })
    await client.close()
  })

  test('AUTH-06 with a wrong key it does not connect', async () => {
    await expect(connect('no-key')).rejects.toMatchObject({ code: 401 })
  })
})
