import type { IncomingMessage, ServerResponse } from 'node:http';

import { describe, expect, it } from '@jest/globals';
import { isReservedSlug } from '@hopcount/links';
import type { Health } from '@hopcount/runtime';
import fastify from 'fastify';

import { frontDoor, registerRoutes, ROUTED } from './redirect.route.js';

describe('frontDoor', () => {
  const whoAnswers = (url: string, method = 'GET') => {
    const asked: string[] = [];
    const refused = { writeHead: () => asked.push('refused'), end: () => undefined };
    const door = frontDoor(
      { redirect: () => asked.push('redirect'), submit: () => asked.push('form'), isSecure: () => false },
      () => asked.push('router'),
    );
    door({ method, url } as IncomingMessage, refused as unknown as ServerResponse);
    return asked;
  };

  it.each([...ROUTED])('keeps %s for the gateway: no link may take that code', (path) => {
    expect(whoAnswers(path)).toEqual(['router']);
    expect(whoAnswers(`${path}?a=b`)).toEqual(['router']);
    expect(isReservedSlug(path.split('/')[1] ?? '')).toBe(true);
  });

  it.each(['/', '/code', '/livez/', '/READYZ', '/metrics2'])('takes %s for a short link', (path) => {
    expect(whoAnswers(path)).toEqual(['redirect']);
  });

  it('lets pages ask for health before they ask with a header of their own, and nothing else', () => {
    expect(whoAnswers('/rest/v3/health', 'OPTIONS')).toEqual(['router']);
    expect(whoAnswers('/rest/v3/health', 'POST')).toEqual(['refused']);
    expect(whoAnswers('/code', 'OPTIONS')).toEqual(['refused']);
    expect(whoAnswers('/code', 'PUT')).toEqual(['refused']);
    expect(whoAnswers('/code', 'POST')).toEqual(['form']);
  });
});

describe('the routes', () => {
  it('S8: have words that no link may take, and are not taken for links', async () => {
    const server = fastify();
    const urls: string[] = [];
    server.addHook('onRoute', ({ url }) => {
      urls.push(url);
    });
    registerRoutes(server, {} as Health, () => Promise.resolve(undefined));
    await server.ready();
    expect(urls).toContain('/robots.txt');
    for (const url of urls) {
      expect([url, ROUTED.has(url), isReservedSlug(url.split('/')[1] ?? '')]).toEqual([url, true, true]);
    }
  });
});
