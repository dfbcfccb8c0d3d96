import type { ServerResponse } from 'node:http';

import { OutboundFetcher } from '@hopcount/outbound';
import { TestDns, TestSite } from '@hopcount/outbound/spec-helpers';
import { isPrivateAddress } from '@hopcount/runtime';

/** Taken for an address of the public internet. */
const PUBLIC = '127.0.0.3';

export interface Post {
  path: string;
  id: string;
  headers: Record<string, string>;
  body: string;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A server known as hook.test, and what posts to it; inside.test is in a private network. */
export async function startReceiver(onPost: (post: Post, response: ServerResponse) => void) {
  const dns = await TestDns.start({ 'hook.test': [PUBLIC], 'inside.test': ['10.0.0.5'] });
  const site = await TestSite.start(PUBLIC, 0, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      const id = headers['webhook-id'] ?? '';
      onPost({ path: request.url ?? '', id, headers, body: Buffer.concat(chunks).toString() }, response);
    });
  });
  const fetcher = new OutboundFetcher({
    ...{ userAgent: 'Spec/1', allowPrivate: false, timeoutMs: 5_000, dnsServers: [dns.address] },
    ports: new Set([site.port]),
    isPublicAddress: (address) => address === PUBLIC || !isPrivateAddress(address),
  });
  return {
    ...{ fetcher, port: site.port },
    stop: () => {
      dns.stop();
      site.stop();
    },
  };
}
