import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

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

  it('finds the module in the bundle of an app', () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'profile-')), 'dist');
    mkdirSync(folder);
    const bundle = join(folder, 'bundle.js');
    writeFileSync(
      bundle,
      '// node_modules/pg/lib/client.js\nfirst();\n\n// apps/gateway/dist/visits/a.js\none();\ntwo();\n',
    );
    const url = pathToFileURL(bundle).href;
    const text = summarize({
      nodes: [
        { id: 1, callFrame: { functionName: 'first', url, lineNumber: 1 } },
        { id: 2, callFrame: { functionName: 'two', url, lineNumber: 5 } },
      ],
      samples: [1, 2],
      timeDeltas: [1_000_000, 1_000_000],
    });
    rmSync(join(folder, '..'), { recursive: true });
    expect(text).toContain('50.0 %  first  pg:1');
    expect(text).toContain('50.0 %  two  apps/gateway/visits/a.js:2');
  });
});
