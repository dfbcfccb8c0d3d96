import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const SHOWN = 12;

/**
 * Where a process spent its busy time, from the profile V8 left when it ended (profile-preload.ts): by
 * package first, then by function. Undefined when it left none.
 */
export function describeProfile(folder: string, pid: number): string | undefined {
  const file = join(folder, `${pid}.cpuprofile`);
  return existsSync(file) ? summarize(JSON.parse(readFileSync(file, 'utf8')) as CpuProfile) : undefined;
}

export function summarize(profile: CpuProfile): string {
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const byFunction = new Map<string, number>();
  const byPackage = new Map<string, number>();
  let busyUs = 0;
  for (const [index, id] of profile.samples.entries()) {
    const frame = frames.get(id);
    const spentUs = profile.timeDeltas[index] ?? 0;
    if (frame === undefined || frame.functionName === '(idle)') continue;
    busyUs += spentUs;
    const source = packageOf(frame.url);
    const name = `${frame.functionName === '' ? '(anonymous)' : frame.functionName}  ${source}:${frame.lineNumber + 1}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + spentUs);
    byPackage.set(source, (byPackage.get(source) ?? 0) + spentUs);
  }
  const lines = (sums: Map<string, number>) =>
    [...sums]
      .sort((a, b) => b[1] - a[1])
      .slice(0, SHOWN)
      .map(([name, us]) => `    ${((us / busyUs) * 100).toFixed(1).padStart(5)} %  ${name}`);
  return [
    `  ${(busyUs / 1e6).toFixed(1)} s busy; self time by package:`,
    ...lines(byPackage),
    '  by function:',
    ...lines(byFunction),
  ].join('\n');
}

/** `…/node_modules/kafkajs/src/x.js` → `kafkajs`; `…/apps/gateway/dist/a/b.js` → `apps/gateway/a/b.js`. */
function packageOf(url: string): string {
  if (url === '') return '(native)';
  if (url.startsWith('node:')) return url;
  const vendor = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (vendor !== undefined) return vendor;
  return /((?:apps|libs)\/.+)$/.exec(url)?.[1]?.replace('/dist/', '/') ?? url;
}
