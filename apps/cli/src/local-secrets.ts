import { readFileSync } from 'node:fs';

import { AppError } from '@hopcount/runtime';
import { z } from 'zod';

import type { CliConfig } from './cli.config.js';

const secretsSchema = z.looseObject({ hopcountSecret: z.string() });

/**
 * Of the local stack, which makes them once and keeps them in its data folder. @returns undefined where there is no local stack
 * @throws AppError `invalid-config`: the file is not what the stack wrote
 */
export function readLocalSecrets({
  secretsFile,
}: Pick<CliConfig, 'secretsFile'>): z.output<typeof secretsSchema> | undefined {
  let text: string;
  try {
    text = readFileSync(secretsFile, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new AppError('invalid-config', `${secretsFile} cannot be read: run this as the user who started the stack.`, {
      cause: error,
    });
  }
  try {
    return secretsSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new AppError('invalid-config', `${secretsFile} is not what the local stack wrote: set HOPCOUNT_SECRET.`, {
      cause: error,
    });
  }
}
