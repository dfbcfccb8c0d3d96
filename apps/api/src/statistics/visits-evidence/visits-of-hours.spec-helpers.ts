import { visitsExplainedSchema, visitsProofSchema } from '@hopcount/contracts';
import { expect } from '@jest/globals';

import type { TestApi } from '../../api.spec-helpers.js';

/** In Asia/Kolkata: DE on a Sunday at 15:30, FR there at 16:30, FR on a Tuesday at 05:00, US there at 15:30. */
const CASES: [filters: string, countries: string[]][] = [
  ['weekday=7&filter[]=hour=15', ['DE']],
  ['weekday=2', ['US', 'FR']],
  ['weekday!=7', ['US', 'FR']],
  ['hour=15&filter[]=hour=16&filter[]=country=FR', ['FR']],
  ['hour!=05', ['US', 'FR', 'DE']],
  ['weekday=3', []],
];

const REFUSED: [question: string, reason: RegExp][] = [
  // Of another range, as one that is compared, they would be other times.
  ['totals?filter[]=hour=13', /country, region/],
  ['explain?filter[]=hour=24', /00 to 23/],
  ['explain?filter[]=weekday^=1', /referrerUrl/],
  ['matrix?rows=hour&columns=os&startDate=2020-01-01', /10000 hours/],
  ['proof?startDate=2020-01-01&filter[]=weekday=1', /10000 hours/],
];

type Ask = (
  path: string,
  schema: typeof visitsExplainedSchema | typeof visitsProofSchema,
) => Promise<Record<string, never>>;

/** What stands behind cells of a matrix by time. */
export async function expectVisitsOfHours(api: TestApi, ask: Ask, range: string): Promise<void> {
  for (const [filters, countries] of CASES) {
    const question = `${range}&timeZone=Asia/Kolkata&filter[]=${filters}`;
    const { visits } = await ask(`explain?${question}`, visitsExplainedSchema);
    expect([filters, (visits as unknown as { country: string }[]).map(({ country }) => country)]).toEqual([
      filters,
      countries,
    ]);
    const { used } = await ask(`proof?${question}`, visitsProofSchema);
    expect(used).toMatchObject({ visits: countries.length });
  }
  for (const [asked, reason] of REFUSED) {
    const { status, body } = await api.get(`statistics/${asked}`);
    expect([asked, status]).toEqual([asked, 400]);
    expect(JSON.stringify(body['reasons'])).toMatch(reason);
  }
}
