import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

import { AppError } from '@hopcount/runtime';
import { z } from 'zod';

/** Where pgBackRest looks, in its order. */
const CONFIGS = ['/etc/pgbackrest/pgbackrest.conf', '/etc/pgbackrest.conf'];

const infoSchema = z.array(
  z.object({
    name: z.string(),
    status: z.object({ code: z.number(), message: z.string() }),
    backup: z.array(
      z.object({
        label: z.string(),
        type: z.string(),
        error: z.boolean().nullish(),
        timestamp: z.object({ start: z.number(), stop: z.number() }),
      }),
    ),
  }),
);

export interface Backup {
  label: string;
  type: string;
  /** What was committed by then is in it; later commits are in the WAL, while that is kept. */
  endedMs: number;
}

export interface PgBackRestSettings {
  stanza: string;
  /** null: those of pgBackRest itself. */
  config: string | null;
}

/** The program, as whoever owns PostgreSQL's data: it refuses files of others. */
export class PgBackRest {
  readonly #configPath: string;
  readonly #config: string;

  /** @throws AppError `wrong-usage`: there is no configuration */
  constructor(private readonly settings: PgBackRestSettings) {
    const candidates = settings.config === null ? CONFIGS : [settings.config];
    const found = candidates.map((path) => ({ path, text: textOf(path) })).find(({ text }) => text !== undefined);
    if (found === undefined) {
      const where = candidates.join(' and no ');
      throw new AppError('wrong-usage', `There is no ${where}: run \`hopcount backup configure\` first.`);
    }
    this.#configPath = found.path;
    this.#config = found.text ?? '';
  }

  /** PostgreSQL's. @throws AppError `wrong-usage` */
  get dataFolder(): string {
    const stanza = this.#config.split(/^\[/m).find((section) => section.startsWith(`${this.settings.stanza}]`));
    const path = /^pg1-path *= *(.+)$/m.exec(stanza ?? '')?.[1]?.trim();
    if (path !== undefined) return path;
    throw new AppError('wrong-usage', `${this.#configPath} has no pg1-path for [${this.settings.stanza}].`);
  }

  /** Those that can be restored, oldest first. undefined: the stanza was never created */
  async backups(): Promise<Backup[] | undefined> {
    const stanzas = infoSchema.parse(JSON.parse(await this.run('info', '--output=json')));
    const stanza = stanzas.find(({ name }) => name === this.settings.stanza);
    // 1: missing stanza path; 3: missing stanza data.
    if (stanza === undefined || [1, 3].includes(stanza.status.code)) return undefined;
    return stanza.backup
      .filter(({ error }) => error !== true)
      .map(({ label, type, timestamp }) => ({ label, type, endedMs: timestamp.stop * 1_000 }));
  }

  /** @returns what it printed. @throws AppError `backup-failed` */
  async run(command: string, ...options: string[]): Promise<string> {
    const args = [`--config=${this.#configPath}`, `--stanza=${this.settings.stanza}`, ...options, command];
    const child = spawn('pgbackrest', args, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], ...this.#owner() });
    let [printed, said] = ['', ''];
    child.stdout.on('data', (text) => (printed += String(text)));
    child.stderr.on('data', (text) => (said += String(text)));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    }).catch((error: Error) => {
      throw failed(`pgbackrest cannot be run (${error.message}): on Debian, apt-get install pgbackrest.`);
    });
    if (code === 0) return printed;
    throw failed(`pgbackrest ${command} ended with ${String(code)}: ${`${said}${printed}`.trim().slice(-2_000)}`);
  }

  /** Of root's only: nobody else may be somebody else. */
  #owner(): { uid?: number; gid?: number } {
    if (process.getuid?.() !== 0) return {};
    const { uid, gid } = statSync(this.dataFolder);
    return { uid, gid };
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // No such file, or not ours to read: the caller says what it means.
    return undefined;
  }
}

function failed(message: string): AppError {
  return new AppError('backup-failed', message);
}
