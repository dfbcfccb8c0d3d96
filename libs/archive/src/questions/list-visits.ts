/** So many visits, newest first, from the first one behind `before` on (an event id; undefined: from the newest on). */
export interface VisitsPage {
  before: string | undefined;
  limit: number;
}

/** In PostgreSQL's and DuckDB's words: visits of a relation in the order of event ids, which begin with the time. */
export function newestOf(visits: string, columns: string, { before, limit }: VisitsPage): string {
  if (before !== undefined && !/^[0-9a-f-]{36}$/.test(before)) throw new RangeError('an event id is a UUID');
  const where = before === undefined ? '' : `WHERE event_id < '${before}'::UUID`;
  return `SELECT ${columns} FROM ${visits} ${where} ORDER BY occurred_at DESC, event_id DESC LIMIT ${limit}`;
}
