import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
}

interface ProfileNode {
  id: number;
  callFrame: CallFrame;
  children?: number[];
}

interface CpuProfile {
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
}

const SHOWN = 16;

/**
 * Where a process spent its busy time, from the profile V8 left when it ended (profile-preload.ts): by package, with what that
 * package asks of Node and of the system, then by function alone. Undefined when it left none.
 */
export function describeProfile(folder: string, pid: number): string | undefined {
  const file = join(folder, `${pid}.cpuprofile`);
  return existsSync(file) ? summarize(JSON.parse(readFileSync(file, 'utf8')) as CpuProfile) : undefined;
}

export function summarize(profile: CpuProfile): string {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const byFunction = new Map<string, number>();
  const byPackage = new Map<string, number>();
  let busyUs = 0;
  for (const [index, id] of profile.samples.entries()) {
    const frame = nodes.get(id)?.callFrame;
    const spentUs = profile.timeDeltas[index] ?? 0;
    if (frame === undefined || frame.functionName === '(idle)') continue;
    busyUs += spentUs;
    const { source, line } = placeOf(frame);
    const name = `${frame.functionName === '' ? '(anonymous)' : frame.functionName}  ${source}:${line}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + spentUs);
    const caller = packageOfCaller(id, nodes, parents);
    byPackage.set(caller, (byPackage.get(caller) ?? 0) + spentUs);
  }
  const share = (us: number) => `    ${((us / busyUs) * 100).toFixed(1).padStart(5)} %`;
  const lines = (sums: Map<string, number>) => {
    const sorted = [...sums].sort((a, b) => b[1] - a[1]);
    const restUs = sorted.slice(SHOWN).reduce((sum, [, us]) => sum + us, 0);
    return [...sorted.slice(0, SHOWN).map(([name, us]) => `${share(us)}  ${name}`), `${share(restUs)}  the rest`];
  };
  return [
    `  ${(busyUs / 1e6).toFixed(1)} s busy; by package, with what it asks of Node and of the system:`,
    ...lines(byPackage),
    '  by function alone:',
    ...lines(byFunction),
  ].join('\n');
}

/** The package that asks for a node's work: its own, or that of the nearest caller which is neither Node's nor native. */
function packageOfCaller(
  id: number,
  nodes: ReadonlyMap<number, ProfileNode>,
  parents: ReadonlyMap<number, number>,
): string {
  const name = nodes.get(id)?.callFrame.functionName ?? '';
  if (name.startsWith('(')) return name;
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
    const frame = nodes.get(at)?.callFrame;
    if (frame !== undefined && frame.url !== '' && !frame.url.startsWith('node:')) return partOf(placeOf(frame).source);
  }
  return 'Node alone';
}

/** Of ours the folder: `apps/gateway/visits/describe-visit.js` → `apps/gateway/visits`. */
function partOf(source: string): string {
  return /^(?:apps|libs)\//.test(source) ? source.split('/').slice(0, 3).join('/') : source;
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
