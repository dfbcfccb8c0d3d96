import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** A script of the repository, beside this process. @returns its exit code */
export function runNode(script: string, env: Record<string, string>): Promise<number | null> {
  const child = spawn(process.execPath, [script], { cwd: ROOT, env, stdio: 'ignore' });
  return new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
}
