import { RANGE_PRESETS } from '@hopcount/contracts';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';

import { parseCliConfig } from './cli.config.js';
import { Terminal } from './output/terminal.js';
import { createProgram } from './program.js';

const nowhere = { write: () => true };

describe('all commands', () => {
  const program = createProgram({
    terminal: new Terminal(nowhere, nowhere, { color: false }),
    config: () => parseCliConfig({}),
    exitWith: () => undefined,
  });
  const leavesOf = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
  const optionOf = (command: Command, name: string) => command.options.find(({ long }) => long === name);

  it('take the words for ranges wherever they take the start and the end of one', () => {
    const taking = leavesOf(program).filter((command) =>
      [['--from', '--to'] as const, ['--start', '--end'] as const].some((dates) =>
        dates.every((name) => optionOf(command, name) !== undefined),
      ),
    );
    expect(taking.map((command) => command.name()).sort()).toEqual(
      ['compare', 'export', 'list', 'relabel', 'replay', 'show', 'visits'].sort(),
    );
    for (const command of taking) {
      expect([command.name(), optionOf(command, '--range')?.argChoices]).toEqual([command.name(), [...RANGE_PRESETS]]);
      expect([command.name(), optionOf(command, '--time-zone')]).toEqual([command.name(), expect.anything()]);
    }
  });
});
