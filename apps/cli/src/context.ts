import type { Command } from 'commander';

import type { CliConfig } from './cli.config.js';
import type { OutputFormat } from './output/output.js';
import type { Terminal } from './output/terminal.js';

/** What every command is given. `config` is parsed on first use, so that --help never fails. */
export interface CliContext {
  readonly config: () => CliConfig;
  readonly terminal: Terminal;
  /** Sets the exit code once the command has ended in order. */
  exitWith(code: number): void;
}

/** A command adds itself to its parent; one file each. */
export type RegisterCommand = (parent: Command, context: CliContext) => void;

/** Exit code when a number differs from what it must be: the command ran, the data are not right. */
export const VERIFICATION_FAILED = 3;

/** Exit code when nothing is wrong and too little was seen to say that all is well. */
export const NOT_ENOUGH_SEEN = 4;

/** Of every command. */
export interface OutputOptions {
  output: OutputFormat;
}
