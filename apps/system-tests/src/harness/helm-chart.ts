import { spawnSync } from 'node:child_process';

import { fileURLToPath } from 'node:url';

import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const BUILD_MS = 1_200_000;

export interface ChartCase {
  name: string;
  values: object;
  isUpgrade?: boolean;
}

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: Record<string, unknown>;
}

export interface Rendered {
  name: string;
  objects: KubernetesObject[];
  notes: string;
  error: string;
}

/** By Helm's own engine; the first time on a machine it is compiled. */
export function renderChart(cases: ChartCase[]): Rendered[] {
  const { status, stdout, stderr } = spawnSync('go', ['run', '.', '../hopcount'], {
    cwd: `${ROOT}deploy/helm/validate`,
    input: JSON.stringify(cases),
    encoding: 'utf8',
    timeout: BUILD_MS,
    maxBuffer: 64 * 1_024 * 1_024,
  });
  if (status !== 0) throw new Error(`the chart could not be rendered: ${stderr}`);
  const answers = JSON.parse(stdout) as { name: string; files: Record<string, string> | null; error: string }[];
  return answers.map(({ name, files, error }) => {
    const texts = Object.entries(files ?? {});
    const objects = texts.filter(([path]) => path.endsWith('.yaml')).flatMap(([path, text]) => parse(path, text));
    return { name, error, objects, notes: texts.find(([path]) => path.endsWith('NOTES.txt'))?.[1] ?? '' };
  });
}

function parse(path: string, text: string): KubernetesObject[] {
  if (text.includes('<no value>')) throw new Error(`${path} uses a value that is not there:\n${text}`);
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${String(document.errors[0])}\n${text}`);
    const object = document.toJS() as KubernetesObject | null;
    return object === null ? [] : [object];
  });
}

const MODULES: [RegExp, string][] = [
  [/^argoproj\.io\//, '@kubernetes-models/argo-rollouts/'],
  [/^keda\.sh\//, '@kubernetes-models/keda/'],
  [/^monitoring\.coreos\.com\//, '@kubernetes-models/prometheus-operator/'],
  [/./, 'kubernetes-models/'],
];

export function moduleOf({ apiVersion }: KubernetesObject): string {
  return `${MODULES.find(([pattern]) => pattern.test(apiVersion))?.[1] ?? ''}${apiVersion}`;
}

/**
 * What of the objects their types do not have, or have otherwise: each stands as a literal of its type in a file that
 * TypeScript looks at, since the models' own validation lets fields pass that it does not know.
 */
export function typeErrors(objects: KubernetesObject[]): string[] {
  const fileName = `${ROOT}apps/system-tests/src/harness/objects-of-a-chart.ts`;
  const lines = objects.map(
    (object, index) =>
      `import type { I${object.kind} as T${index} } from '${moduleOf(object)}';\nexport const o${index}: T${index} = ${JSON.stringify(object)};`,
  );
  const text = lines.join('\n');
  const options: ts.CompilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: true, types: [] },
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    target: ts.ScriptTarget.ES2022,
  };
  const disk = ts.createCompilerHost(options);
  const readFile = (path: string) => (path === fileName ? text : disk.readFile(path));
  const host: ts.CompilerHost = {
    ...disk,
    readFile,
    fileExists: (path) => path === fileName || disk.fileExists(path),
    getSourceFile: (path, version) => {
      const source = readFile(path);
      return source === undefined ? undefined : ts.createSourceFile(path, source, version);
    },
  };
  const program = ts.createProgram([fileName], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start, file }) => {
    const line = file === undefined || start === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line;
    const object = objects[Math.floor(line / 2)];
    return `${object?.kind ?? ''} ${object?.metadata.name ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** Settings that the app's own schema does not know, or does not take; `env` has sample values in place of secrets. */
export function refusedSettings(app: string, env: Record<string, string>): string[] {
  const script = `import { pathToFileURL } from 'node:url';
    const module = await import(pathToFileURL(process.argv[1]).href);
    const schema = Object.entries(module).find(([name]) => name.endsWith('onfigSchema'))?.[1];
    const env = JSON.parse(process.argv[2]);
    const unknown = Object.keys(env).filter((name) => !(name in schema.shape)).map((name) => name + ': no such setting');
    const wrong = (schema.safeParse(env).error?.issues ?? []).map(({ path, message }) => path.join('.') + ': ' + message);
    console.log(JSON.stringify([...unknown, ...wrong]));`;
  const file = `${ROOT}apps/${app}/dist/${app}.config.js`;
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script, file, JSON.stringify(env)], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as string[];
}
