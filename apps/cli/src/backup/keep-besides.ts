import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { CliConfig } from '../cli.config.js';
import { readLocalSecrets } from '../local-secrets.js';

export interface Besides {
  /** What lies in the folder now. */
  kept: string[];
  /** What is needed for a restore and is not known here. */
  missing: string[];
}

/** Of the last backup, beside PostgreSQL: without the secret old cookies and hashes are void, and a spool holds visits nobody else has. */
export async function keepBesides(folder: string, config: CliConfig, facts: object): Promise<Besides> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const besides: Besides = { kept: [], missing: [] };
  const keep = async (name: string, content: object) => {
    await writeFile(join(folder, name), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    besides.kept.push(name);
  };
  const secrets = secretsOf(config);
  if (secrets === undefined) besides.missing.push('HOPCOUNT_SECRET (it is not set here)');
  else await keep('secrets.json', secrets);
  const isThere = await cp(config.spoolDir, join(folder, 'spool'), { recursive: true }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
  if (isThere) besides.kept.push('spool');
  if (config.archiveUrl !== undefined)
    besides.missing.push(`the archive's files (${placeOf(config.archiveUrl)}): copy them after each backup`);
  await keep('backup.json', { ...facts, archiveUrl: config.archiveUrl ?? null });
  return besides;
}

/** Of the environment, else the local stack's. */
function secretsOf(config: CliConfig): object | undefined {
  const { hopcountSecret, hopcountHashSecret } = config;
  if (hopcountSecret !== undefined) {
    return { hopcountSecret, ...(hopcountHashSecret !== undefined && { hopcountHashSecret }) };
  }
  return readLocalSecrets(config);
}

function placeOf(archive: NonNullable<CliConfig['archiveUrl']>): string {
  return typeof archive === 'string' ? archive : `s3://${archive.bucket}/${archive.prefix}`;
}
