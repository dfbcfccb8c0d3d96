import { isAppError } from '@hopcount/runtime';
import { CommanderError } from 'commander';

import { parseCliConfig, type CliConfig } from './cli.config.js';
import { describeError } from './cli.errors.js';
import { createProgram, HINT } from './program.js';
import { Terminal } from './output/terminal.js';

const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs one command line to its end and returns the exit code; never throws. */
export async function run(argv: string[], environment: NodeJS.ProcessEnv, streams: RunStreams): Promise<number> {
  let exitCode = 0;
  // no-color.org: any value but an empty one.
  const color = (environment['NO_COLOR'] ?? '') === '';
  const terminal = new Terminal(streams.stdout, streams.stderr, { color });
  let config: CliConfig | undefined;
  const program = createProgram({
    terminal,
    config: () => (config ??= parseCliConfig(environment)),
    exitWith: (code) => (exitCode = code),
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // commander has printed its own message; help and version are not failures.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    terminal.error(describeError(error));
    if (!isAppError(error, 'wrong-usage')) return FAILED;
    terminal.message(HINT);
    return WRONG_USAGE;
  } finally {
    terminal.endProgress();
  }
}

export interface RunStreams {
  stdout: {
    write(data: string | Uint8Array): unknown;
    once?(event: 'drain' | 'close', listener: () => void): unknown;
    isTTY?: boolean;
  };
  stderr: { write(text: string): unknown; isTTY?: boolean };
}
