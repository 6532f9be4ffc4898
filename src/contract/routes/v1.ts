import { z } from 'zod'
import { domainBody, domainReplyV1 } from '../domain.js'
import { entityReplyV1 } from '../entity-v1.js'
import { hierarchyReply } from '../hierarchy.js'
import { entityId } from '../ids.js'
import { mcpAccepted, mcpMessage, mcpReply } from '../mcp.js'
import { reportBody, reportReply } from '../resolution-v2.js'
import type { Route } from './route.js'

const none = z.object({})
const ofEntity = z.object({ entity_id: entityId })

export const routesV1 = {
  readEntityV1: {
    method: 'GET',
    path: '/v1/entities/{entity_id}',
    summary: 'The record of a company; built on first demand',
    params: ofEntity,
    query: none,
    body: null,
    replies: { 200: entityReplyV1 },
    errors: [400, 401, 404, 500, 504],
    limit: null,
  },
  readDomainV1: {
    method: 'GET',
    path: '/v1/domain-intelligence',
    summary: 'Whose domain it is, and facts about the domain',
    params: none,
    query: domainBody,
    body: null,
    replies: { 200: domainReplyV1 },
    errors: [400, 401, 500, 504],
    limit: null,
  },
  readHierarchy: {
    method: 'GET',
    path: '/v1/entity/{entity_id}/hierarchy',
    summary: 'The ownership of a company, as far as it was researched',
    params: ofEntity,
    query: none,
    body: null,
    replies: { 200: hierarchyReply },
    errors: [400, 401, 500],
    limit: null,
  },
  readUltimateParent: {
    method: 'GET',
    path: '/v1/entity/{entity_id}/ultimate-parent',
    summary: 'The ultimate parent of a company, as far as it was researched',
    params: ofEntity,
    query: none,
    body: null,
    replies: { 200: hierarchyReply },
    errors: [400, 401, 500],
    limit: null,
  },
  requestHierarchy: {
    method: 'POST',
    path: '/v1/entity/{entity_id}/hierarchy',
    summary: 'Begin research of the ownership of a company',
    params: ofEntity,
    query: none,
    // The interface shows no payload: none is needed, and what comes is not read.
    body: z.unknown(),
    replies: { 200: hierarchyReply, 202: hierarchyReply },
    errors: [400, 401, 500],
    limit: null,
  },
  report: {
    method: 'POST',
    path: '/v1/entity-resolution/report',
    summary: 'Feedback about an answer',
    params: none,
    query: none,
    body: reportBody,
    replies: { 202: reportReply },
    errors: [400, 401, 500],
    limit: null,
  },
  mcp: {
    method: 'POST',
    path: '/v1/mcp',
    summary: 'Model Context Protocol: one tool, search_legal_entities',
    params: none,
    query: none,
    body: mcpMessage,
    replies: { 200: mcpReply, 202: mcpAccepted },
    errors: [400, 401, 403, 500],
    limit: null,
  },
} as const satisfies Record<string, Route>
