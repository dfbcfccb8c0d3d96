export const TO_DATE = ['weekToDate', 'monthToDate', 'yearToDate'] as const;
export type ToDate = (typeof TO_DATE)[number];

const DAY_MS = 86_400_000;

/** First and last day, today: nothing that has not begun, so what it is compared with is as long. */
export function toDateDays(range: ToDate, timeZone: string, now: number): { startDate: string; endDate: string } {
  // Swedish dates are those of ISO 8601.
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now);
  return { startDate: firstDay(range, today), endDate: today };
}

/** How long it can be, for what has to be known before the day is. */
export const TO_DATE_DAYS: Record<ToDate, number> = { weekToDate: 7, monthToDate: 31, yearToDate: 366 };

function firstDay(range: ToDate, today: string): string {
  if (range === 'monthToDate') return `${today.slice(0, 7)}-01`;
  if (range === 'yearToDate') return `${today.slice(0, 4)}-01-01`;
  const day = new Date(`${today}T00:00:00Z`);
  const sinceMonday = (day.getUTCDay() + 6) % 7;
  return new Date(day.getTime() - sinceMonday * DAY_MS).toISOString().slice(0, 10);
}
