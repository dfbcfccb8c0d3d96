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

  it('says for whom Node and the system work, and what is left', () => {
    const text = summarize({
      nodes: [
        { id: 1, callFrame: { functionName: '(root)', url: '', lineNumber: -1 }, children: [2, 6] },
        {
          id: 2,
          callFrame: { functionName: 'send', url: 'file:///r/node_modules/kafkajs/a.js', lineNumber: 1 },
          children: [3],
        },
        { id: 3, callFrame: { functionName: 'write', url: 'node:net', lineNumber: 1 }, children: [4] },
        { id: 4, callFrame: { functionName: 'writev', url: '', lineNumber: -1 } },
        { id: 5, callFrame: { functionName: '(garbage collector)', url: '', lineNumber: -1 } },
        { id: 6, callFrame: { functionName: 'onread', url: 'node:net', lineNumber: 7 } },
      ],
      samples: [4, 3, 5, 6],
      timeDeltas: [6_000, 1_000, 2_000, 1_000],
    });
    const [byPackage] = text.split('by function alone');
    expect(byPackage).toContain('70.0 %  kafkajs');
    expect(byPackage).toContain('20.0 %  (garbage collector)');
    expect(byPackage).toContain('10.0 %  Node alone');
    expect(byPackage).toContain('0.0 %  the rest');
    expect(text).toContain('60.0 %  writev  (native):0');
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
