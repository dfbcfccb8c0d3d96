import { answerOf, createHopcountClient, type HopcountClient, HopcountProblem } from '@hopcount/client';
import type { LinkStatistics, ShortUrl, StackFile } from '@hopcount/contracts';

interface NewLink {
  longUrl: string;
  customSlug?: string;
  title?: string;
  tags?: string[];
  maxVisits?: number;
  groupId?: string;
  disabled?: boolean;
}

/** Nobody waits longer for an answer. */
const TIMEOUT_MS = 15_000;

/**
 * The stack's REST API, as any client would use it. Its answers have the types of contracts, which the harness speaks and which may be
 * a field ahead of the client's until that is written anew.
 */
export class LinksApi {
  readonly client: HopcountClient;

  constructor({ apiUrl, apiKey }: Pick<StackFile, 'apiUrl' | 'apiKey'>, timeoutMs = TIMEOUT_MS) {
    const within = (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) });
    this.client = createHopcountClient({ baseUrl: apiUrl, apiKey, fetch: within });
  }

  create(body: NewLink): Promise<ShortUrl> {
    return inContracts<ShortUrl>(answerOf(this.client.POST('/rest/v3/short-urls', { body })));
  }

  /** Links to so many pages of one site, made one after the other. */
  async createPages(count: number): Promise<ShortUrl[]> {
    const links: ShortUrl[] = [];
    for (let index = 0; index < count; index += 1) {
      links.push(await this.create({ longUrl: `https://example.com/page/${index}` }));
    }
    return links;
  }

  makeGroup(groupId: string): Promise<{ groupId: string }> {
    return answerOf(this.client.POST('/rest/v3/groups', { body: { groupId, name: groupId } }));
  }

  edit(code: string, body: { longUrl?: string; groupId?: string }): Promise<ShortUrl> {
    const call = this.client.PATCH('/rest/v3/short-urls/{code}', { params: { path: { code } }, body });
    return inContracts<ShortUrl>(answerOf(call));
  }

  find(code: string): Promise<ShortUrl> {
    return inContracts<ShortUrl>(
      answerOf(this.client.GET('/rest/v3/short-urls/{code}', { params: { path: { code } } })),
    );
  }

  statistics(code: string, query: Record<string, string> = {}): Promise<LinkStatistics> {
    const call = this.client.GET('/rest/v3/short-urls/{code}/stats', { params: { path: { code }, query } });
    return inContracts<LinkStatistics>(answerOf(call));
  }

  block(host: string): Promise<{ id: string }> {
    return answerOf(this.client.POST('/rest/v3/blocks', { body: { kind: 'host', value: host } }));
  }

  async makeKey(name: string): Promise<{ id: string; apiKey: string }> {
    const call = this.client.POST('/rest/v3/api-keys', { body: { name, scopes: ['links:read'] } });
    const { id, apiKey } = await answerOf(call);
    return { id: String(id), apiKey };
  }

  /** Also when an earlier try did, whose answer was lost. */
  async revokeKey(id: string): Promise<true> {
    await answerOf(this.client.DELETE('/rest/v3/api-keys/{id}', { params: { path: { id } } })).catch((error: Error) => {
      if (!(error instanceof HopcountProblem && error.status === 404)) throw error;
    });
    return true;
  }

  async unblock(blockId: string): Promise<true> {
    await answerOf(this.client.DELETE('/rest/v3/blocks/{blockId}', { params: { path: { blockId } } }));
    return true;
  }

  /** @returns how many visits are gone for good */
  async purge(code: string): Promise<number> {
    const call = this.client.DELETE('/rest/v3/short-urls/{code}/visits', { params: { path: { code } } });
    return (await answerOf(call)).deletedVisits;
  }
}

/** What the document says, in the types of contracts: they are one, and contracts may be a field ahead. */
async function inContracts<Type>(answer: Promise<unknown>): Promise<Type> {
  return (await answer) as Type;
}
