import { expectOrder, parseEnd, parseStart } from '@hopcount/statistics';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const SECOND_MS = 1_000;

/**
 * The range of a list as [from, to) in epoch milliseconds, open where a limit is absent. Clients write
 * both ends in whole seconds and mean them inclusively, so the second named as the end is part of it.
 * @throws AppError `invalid-range`
 */
export function inclusiveRange(
  given: { startDate: string | null; endDate: string | null },
  timeZone: string,
): { from: number | undefined; to: number | undefined } {
  const from = given.startDate === null ? undefined : parseStart(given.startDate, timeZone);
  if (given.endDate === null) return { from, to: undefined };
  const end = parseEnd(given.endDate, timeZone);
  const to = DATE.test(given.endDate) ? end : Math.floor(end / SECOND_MS) * SECOND_MS + SECOND_MS;
  if (from !== undefined) expectOrder({ endDate: given.endDate }, from, to);
  return { from, to };
}
