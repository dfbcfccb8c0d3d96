import type { IncomingMessage, ServerResponse } from 'node:http';

import { describe, expect, it } from '@jest/globals';
import { isReservedSlug } from '@hopcount/links';

import { frontDoor, ROUTED } from './redirect.route.js';

describe('frontDoor', () => {
  const whoAnswers = (url: string) => {
    const asked: string[] = [];
    const door = frontDoor(
      () => asked.push('redirect'),
      () => asked.push('router'),
    );
    door({ method: 'GET', url } as IncomingMessage, {} as ServerResponse);
    return asked;
  };

  it.each([...ROUTED])('keeps %s for the gateway: no link may take that code', (path) => {
    expect(whoAnswers(path)).toEqual(['router']);
    expect(whoAnswers(`${path}?a=b`)).toEqual(['router']);
    expect(isReservedSlug(path.slice(1))).toBe(true);
  });

  it.each(['/', '/code', '/livez/', '/READYZ', '/metrics2'])('takes %s for a short link', (path) => {
    expect(whoAnswers(path)).toEqual(['redirect']);
  });
});
