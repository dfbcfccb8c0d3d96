import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
}

interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame }[];
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
    const { source, line } = placeOf(frame);
    const name = `${frame.functionName === '' ? '(anonymous)' : frame.functionName}  ${source}:${line}`;
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

function placeOf({ url, lineNumber }: CallFrame): { source: string; line: number } {
  const starts = url.endsWith('/dist/bundle.js') ? modulesOf(url) : [];
  const module = starts.findLast(({ line }) => line < lineNumber);
  if (module === undefined) return { source: packageOf(url), line: lineNumber + 1 };
  return { source: packageOf(`file:///${module.path}`), line: lineNumber - module.line };
}

const modules = new Map<string, { line: number; path: string }[]>();

/** Where each module begins in an app's bundle: below a comment with its path. */
function modulesOf(url: string): { line: number; path: string }[] {
  const known = modules.get(url);
  if (known !== undefined) return known;
  const lines = readFileSync(new URL(url), 'utf8').split('\n');
  const found = lines.flatMap((text, line) => {
    const path = /^\/\/ ((?:node_modules|apps|libs)\/\S+)$/.exec(text)?.[1];
    return path === undefined ? [] : [{ line, path }];
  });
  modules.set(url, found);
  return found;
}

/** `…/node_modules/kafkajs/src/x.js` → `kafkajs`; `…/apps/gateway/dist/a/b.js` → `apps/gateway/a/b.js`. */
function packageOf(url: string): string {
  if (url === '') return '(native)';
  if (url.startsWith('node:')) return url;
  const vendor = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (vendor !== undefined) return vendor;
  return /((?:apps|libs)\/.+)$/.exec(url)?.[1]?.replace('/dist/', '/') ?? url;
}
