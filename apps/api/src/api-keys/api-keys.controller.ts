import { Body, Controller, Param, Query, Res } from '@nestjs/common';
import {
  type ApiKey,
  type ApiKeyList,
  apiKeyListSchema,
  apiKeySchema,
  type NewApiKey,
  newApiKeySchema,
} from '@hopcount/contracts';
import { type ApiKeyRecord, ApiKeyRegistry, type IssuedApiKey } from '@hopcount/identities';
import { AppError } from '@hopcount/runtime';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';

import { formatDate } from '../http/dates.js';
import { Operation } from '../http/operation.js';
import { pageSize, pageWindow, toPage } from '../http/page.js';
import { expectUnchanged } from '../http/sent-back.js';
import {
  apiKeyEdits,
  createApiKeyRequest,
  editApiKeyRequest,
  listApiKeysQuery,
  rotateApiKeyRequest,
} from './api-key.requests.js';

/** Who may ask the API what. Every api process follows a change within five seconds. */
@Controller()
export class ApiKeysController {
  constructor(private readonly registry: ApiKeyRegistry) {}

  @Operation('GET /rest/v3/api-keys', {
    id: 'listApiKeys',
    scope: 'admin',
    summary: 'List API keys',
    description: 'By name, revoked ones too. Nobody can read a key again: only its hash is kept.',
    tag: 'API keys',
    query: listApiKeysQuery,
    listsAll: true,
    answer: apiKeyListSchema,
  })
  async list(@Query() query: z.output<typeof listApiKeysQuery>): Promise<ApiKeyList> {
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, 'all') };
    const { keys, totalItems } = await this.registry.list(pageWindow(asked));
    return { apiKeys: toPage(keys.map(toApiKey), { ...asked, totalItems }) };
  }

  @Operation('POST /rest/v3/api-keys', {
    id: 'createApiKey',
    scope: 'admin',
    summary: 'Create an API key',
    description: 'The answer holds the key, which is shown this once.',
    tag: 'API keys',
    body: createApiKeyRequest,
    answer: newApiKeySchema,
    problems: ['api-key-conflict', 'too-many-api-keys', 'read-only-field'],
  })
  async create(
    @Body() { expirationDate: expiresAt, ...given }: z.output<typeof createApiKeyRequest>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewApiKey> {
    return issued(await this.registry.create({ ...given, expiresAt }), reply);
  }

  @Operation('POST /rest/v3/api-keys/:id/rotate', {
    id: 'rotateApiKey',
    scope: 'admin',
    summary: 'Give an API key another secret',
    description: 'The answer holds the key with its new secret, which is shown this once.',
    tag: 'API keys',
    body: rotateApiKeyRequest,
    answer: newApiKeySchema,
    problems: ['api-key-not-found'],
  })
  async rotate(
    @Param('id') id: string,
    @Body() { graceSeconds }: z.output<typeof rotateApiKeyRequest>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewApiKey> {
    return issued(await this.registry.rotate(parseId(id), graceSeconds), reply);
  }

  @Operation('PATCH /rest/v3/api-keys/:id', {
    id: 'editApiKey',
    scope: 'admin',
    summary: 'Disable or enable an API key',
    tag: 'API keys',
    body: editApiKeyRequest,
    answer: apiKeySchema,
    problems: ['api-key-not-found', 'read-only-field'],
  })
  async edit(@Param('id') id: string, @Body() edit: z.output<typeof editApiKeyRequest>): Promise<ApiKey> {
    const key = await this.registry.get(parseId(id));
    expectUnchanged(edit, toApiKey(key), { taken: apiKeyEdits, counted: ['dateLastUsed'] });
    if (edit.enabled === undefined) return toApiKey(key);
    return toApiKey(await this.registry.enable(key.id, edit.enabled));
  }

  @Operation('DELETE /rest/v3/api-keys/:id', {
    id: 'revokeApiKey',
    scope: 'admin',
    summary: 'Revoke an API key for good',
    description: 'It stays in the list, and its name taken: short URLs name it as their author.',
    tag: 'API keys',
    answer: null,
    problems: ['api-key-not-found'],
  })
  async revoke(@Param('id') id: string): Promise<void> {
    await this.registry.revoke(parseId(id));
  }
}

function issued({ key, ...record }: IssuedApiKey, reply: FastifyReply): NewApiKey {
  void reply.header('cache-control', 'no-store');
  return { apiKey: key, ...toApiKey(record) };
}

function toApiKey({ createdAt, expiresAt, lastUsedAt, previousUntil, ...key }: ApiKeyRecord): ApiKey {
  return {
    ...key,
    dateCreated: formatDate(createdAt),
    dateExpires: expiresAt && formatDate(expiresAt),
    dateLastUsed: lastUsedAt && formatDate(lastUsedAt),
    previousUntil: previousUntil && formatDate(previousUntil),
  };
}

/** @throws AppError `api-key-not-found` */
function parseId(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new AppError('api-key-not-found', `There is no API key "${text.slice(0, 32)}" that could be changed.`);
}
