import type { DeletedVisits, LinkStatistics, ShortUrl, StackFile } from '@hopcount/contracts';

import { call } from './http.js';

interface NewLink {
  longUrl: string;
  customSlug?: string;
  title?: string;
  tags?: string[];
  maxVisits?: number;
}

/** The stack's REST API, as any client would use it. */
export class LinksApi {
  constructor(private readonly stack: Pick<StackFile, 'apiUrl' | 'apiKey'>) {}

  create(body: NewLink): Promise<ShortUrl> {
    return this.#json<ShortUrl>('/rest/v3/short-urls', { method: 'POST', body: JSON.stringify(body) });
  }

  makeGroup(groupId: string): Promise<{ groupId: string }> {
    const body = JSON.stringify({ groupId, name: groupId });
    return this.#json<{ groupId: string }>('/rest/v3/groups', { method: 'POST', body });
  }

  edit(code: string, body: { longUrl?: string; groupId?: string }): Promise<ShortUrl> {
    const path = `/rest/v3/short-urls/${encodeURIComponent(code)}`;
    return this.#json<ShortUrl>(path, { method: 'PATCH', body: JSON.stringify(body) });
  }

  find(code: string): Promise<ShortUrl> {
    return this.#json<ShortUrl>(`/rest/v3/short-urls/${encodeURIComponent(code)}`);
  }

  statistics(code: string, query: Record<string, string> = {}): Promise<LinkStatistics> {
    const parameters = new URLSearchParams(query).toString();
    return this.#json<LinkStatistics>(`/rest/v3/short-urls/${encodeURIComponent(code)}/stats?${parameters}`);
  }

  block(host: string): Promise<{ id: string }> {
    const body = JSON.stringify({ kind: 'host', value: host });
    return this.#json<{ id: string }>('/rest/v3/blocks', { method: 'POST', body });
  }

  async unblock(id: string): Promise<true> {
    await this.#json(`/rest/v3/blocks/${id}`, { method: 'DELETE' });
    return true;
  }

  /** @returns how many visits are gone for good */
  async purge(code: string): Promise<number> {
    const path = `/rest/v3/short-urls/${encodeURIComponent(code)}/visits`;
    return (await this.#json<DeletedVisits>(path, { method: 'DELETE' })).deletedVisits;
  }

  async #json<Body>(path: string, options: { method?: string; body?: string } = {}): Promise<Body> {
    const headers = {
      'x-api-key': this.stack.apiKey,
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
    };
    const answer = await call(`${this.stack.apiUrl}${path}`, { ...options, headers });
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.body}`);
    return (answer.status === 204 ? undefined : JSON.parse(answer.body)) as Body;
  }
}
