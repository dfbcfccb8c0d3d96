import { type KeyboardEvent, useState } from 'react';

const MOVES: Partial<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * One stop of the Tab key for a table full of buttons, as of the ARIA pattern "grid": arrows lead to the next cell that has one.
 * @param cells only those that are not 0 have a button
 */
export function useCellFocus(cells: readonly (readonly number[])[]) {
  const [chosen, choose] = useState<readonly [row: number, column: number]>();
  const first = cells.flatMap((row, nth) => {
    const column = row.findIndex((visits) => visits > 0);
    return column < 0 ? [] : [[nth, column] as const];
  })[0];
  const isThere = chosen !== undefined && (cells[chosen[0]]?.[chosen[1]] ?? 0) > 0;
  const [atRow, atColumn] = (isThere ? chosen : first) ?? [0, 0];
  return {
    of: (row: number, column: number) => ({
      tabIndex: row === atRow && column === atColumn ? 0 : -1,
      onFocus: () => choose([row, column]),
    }),
    onKeyDown: (event: KeyboardEvent<HTMLTableElement>) => {
      const move = MOVES[event.key];
      if (move === undefined) return;
      event.preventDefault();
      const [rows, columns] = move;
      for (let row = atRow + rows, column = atColumn + columns; cells[row]?.[column] !== undefined;) {
        const button = buttonAt(event.currentTarget, row, column);
        if (button !== null && button !== undefined) return button.focus();
        row += rows;
        column += columns;
      }
    },
  };
}

/** Each row of the body begins with its heading. */
function buttonAt(table: HTMLTableElement, row: number, column: number): HTMLButtonElement | null | undefined {
  return table.tBodies[0]?.rows[row]?.cells[column + 1]?.querySelector('button');
}
