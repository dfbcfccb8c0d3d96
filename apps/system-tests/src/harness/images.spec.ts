import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

import { refusedSettings } from './helm-chart.js';
import { runNode } from './run-node.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const APPS = ['gateway', 'consumer', 'worker', 'api', 'cli'];

interface Package {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
interface Component {
  name: string;
  version: string;
  licenses: unknown[];
}
interface Service {
  environment: Record<string, string | number>;
}

const packageOf = (folder: string) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Package;

/** Of an app and of the libraries it uses, what is not ours. */
function productionDependencies(folder: string, seen = new Set<string>()): Set<string> {
  for (const name of Object.keys(packageOf(folder).dependencies ?? {})) {
    if (seen.has(name)) continue;
    seen.add(name);
    if (name.startsWith('@hopcount/')) productionDependencies(`libs/${name.slice('@hopcount/'.length)}`, seen);
  }
  return seen;
}

describe('what goes into the images', () => {
  it.each(APPS)('the SBOM of %s lists every dependency with its licence, and none of development', (app) => {
    const child = spawnSync(process.execPath, ['deploy/docker/sbom.mjs', app], { cwd: ROOT, encoding: 'utf8' });
    expect(child.stderr).toBe('');
    const sbom = JSON.parse(child.stdout) as { bomFormat: string; components: Component[] };
    expect(sbom.bomFormat).toBe('CycloneDX');
    const names = sbom.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...productionDependencies(`apps/${app}`)]));
    for (const { version, licenses } of sbom.components) {
      expect(version).toMatch(/^\d+\./);
      expect(licenses.length).toBeGreaterThan(0);
    }
    const ofDevelopment = Object.keys(packageOf('.').devDependencies ?? {}).filter((name) =>
      /jest|eslint|nx/.test(name),
    );
    expect(names.filter((name) => [...ofDevelopment, '@hopcount/testing'].includes(name))).toEqual([]);
  });

  it('the health check follows /livez, and a command has none', async () => {
    let status = 200;
    const server = createServer((request, response) => {
      response.statusCode = request.url === '/livez' ? status : 404;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const healthy = (app: string, opsPort: number) =>
      runNode('deploy/docker/healthy.mjs', { APP: app, OPS_PORT: String(opsPort) });
    try {
      expect(await healthy('gateway', port)).toBe(0);
      status = 503;
      expect(await healthy('gateway', port)).toBe(1);
      expect(await healthy('gateway', 1)).toBe(1);
      expect(await healthy('cli', 1)).toBe(0);
    } finally {
      server.close();
    }
  });

  it('their processes have the flags of those that npm start starts', async () => {
    const { NODE_FLAGS } = (await import(join(ROOT, 'deploy/local/node-flags.mjs'))) as { NODE_FLAGS: string[] };
    const dockerfile = readFileSync(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8');
    const command = /^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]';
    expect(JSON.parse(command)).toEqual(['node', ...NODE_FLAGS, 'main.js']);
  });

  it('a bundle runs by a link to it, as in the images', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hopcount-image-'));
    try {
      symlinkSync(join(ROOT, 'apps/cli/dist/bundle.js'), join(folder, 'main.js'));
      const { stdout } = spawnSync(process.execPath, [join(folder, 'main.js'), '--help'], { encoding: 'utf8' });
      expect(stdout).toContain('upgrade');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('docker-compose.yml sets only what the apps know, to values they take', () => {
    const file = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
      services: Record<string, Service>;
    };
    const secrets = ['POSTGRES_PASSWORD', 'POSTGRES_APP_PASSWORD', 'REDIS_PASSWORD'];
    const given = { HOPCOUNT_SECRET: '0'.repeat(64), ...Object.fromEntries(secrets.map((name) => [name, 'secret'])) };
    /** From the inside: presets may name others. */
    const value = (text: string): string => {
      const next = text.replace(
        /\$\{(\w+)(?::[-?]([^{}]*))?\}/g,
        (_, name: string, preset = '') => given[name as keyof typeof given] ?? preset,
      );
      return next === text ? text : value(next);
    };
    for (const app of ['gateway', 'consumer', 'worker', 'api']) {
      const own = Object.entries(file.services[app]?.environment ?? {}).map(([name, text]) => [
        name,
        value(String(text)),
      ]);
      const env = Object.fromEntries(own.filter(([, text]) => text !== '')) as Record<string, string>;
      expect(env).toMatchObject({ OPS_PORT: '9100' });
      expect([app, refusedSettings(app, env).filter((problem) => !SHARED.test(problem))]).toEqual([app, []]);
    }
  });
});

/** Settings that all services of the file are given, whether they have them or not. */
const SHARED = /^(HOST|HOPCOUNT_SECRET|DEFAULT_DOMAIN|PUBLIC_SCHEME|REPORTING_TIME_ZONE): no such setting$/;
