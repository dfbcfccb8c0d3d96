import { Sealer } from '@hopcount/identities';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ProviderFlows } from './provider-flows.js';

const FLOW = { state: 'a', nonce: 'b', verifier: 'c' };

describe('a sign-in begun at a provider', () => {
  const flows = new ProviderFlows(new Sealer(['x'.repeat(40)]));
  const cookies: string[] = [];
  const reply = { header: (_: string, line: string) => cookies.push(line) } as unknown as FastifyReply;
  const begin = () => {
    flows.keep(reply, FLOW, '/');
    return { headers: { cookie: cookies.at(-1)!.split(';')[0] } } as FastifyRequest;
  };
  afterEach(() => void jest.useRealTimers());

  it('can be gone on with for ten minutes, whatever the browser kept', () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const request = begin();
    jest.setSystemTime(Date.now() + 599_000);
    expect(flows.take(request, reply)).toEqual({ flow: FLOW, returnTo: '/' });
    expect(cookies.at(-1)).toContain('Max-Age=0');
    jest.setSystemTime(Date.now() + 2_000);
    expect(() => flows.take(request, reply)).toThrow(expect.objectContaining({ code: 'provider-sign-in-failed' }));
  });
});
