import { Table, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';

import classes from './data-table.module.css';

export interface Column<Row> {
  key: string;
  title: string;
  isNumeric?: boolean;
  /** Whether the api sorts by it; the name of the order. */
  order?: string;
  /** Left out on phones. */
  isExtra?: boolean;
  cell: (row: Row) => ReactNode;
}

interface Props<Row> {
  /** What the table is of, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** `field-ASC` or `field-DESC`. */
  order?: string;
  onOrder?: (order: string) => void;
}

/** Rows as the api answered them: it sorts and pages, this shows. */
export function DataTable<Row>({ label, columns, rows, keyOf, order, onOrder }: Props<Row>) {
  return (
    <Table.ScrollContainer minWidth={0} tabIndex={0} role="region" aria-label={label}>
      <Table verticalSpacing="xs" highlightOnHover aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Heading key={column.key} column={column} order={order} onOrder={onOrder} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map((column) => (
                <Table.Td key={column.key} className={cellClass(column)}>
                  {column.cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface HeadingProps {
  column: Omit<Column<never>, 'cell'>;
  order: string | undefined;
  onOrder: ((order: string) => void) | undefined;
}

function Heading({ column, order, onOrder }: HeadingProps) {
  const { title, order: field } = column;
  const [sortedBy, direction] = order?.split('-') ?? [];
  const isSorted = field !== undefined && sortedBy === field;
  const sort = isSorted ? (direction === 'ASC' ? 'ascending' : 'descending') : undefined;
  return (
    <Table.Th className={cellClass(column)} aria-sort={sort} scope="col">
      {field === undefined || onOrder === undefined ? (
        title
      ) : (
        <UnstyledButton
          className={classes.sort}
          onClick={() => onOrder(`${field}-${sort === 'descending' ? 'ASC' : 'DESC'}`)}
        >
          {title}
          <span aria-hidden="true">{sort === undefined ? ' ↕' : sort === 'ascending' ? ' ↑' : ' ↓'}</span>
        </UnstyledButton>
      )}
    </Table.Th>
  );
}

function cellClass({ isNumeric, isExtra }: { isNumeric?: boolean; isExtra?: boolean }): string {
  return [isNumeric === true ? 'numeric' : '', isExtra === true ? classes.extra : ''].join(' ').trim();
}
