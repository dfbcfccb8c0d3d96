import { describe, expect, it } from '@jest/globals';

import { summarize } from './profile.js';

describe('summarize', () => {
  it('shares the busy time between packages and functions, leaving idleness out', () => {
    const frame = (id: number, functionName: string, url: string) => ({
      id,
      callFrame: { functionName, url, lineNumber: 9 },
    });
    const text = summarize({
      nodes: [
        frame(1, '(idle)', ''),
        frame(2, 'send', 'file:///r/node_modules/kafkajs/src/producer.js'),
        frame(3, 'describe', 'file:///r/apps/gateway/dist/visits/describe-visit.js'),
      ],
      samples: [1, 2, 3, 2],
      timeDeltas: [1_000_000, 2_000_000, 1_000_000, 1_000_000],
    });
    expect(text).toContain('4.0 s busy');
    expect(text).toContain('75.0 %  kafkajs');
    expect(text).toContain('25.0 %  describe  apps/gateway/visits/describe-visit.js:10');
  });
});
