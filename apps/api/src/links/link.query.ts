import { z } from 'zod';

import { queryText } from '../http/input.js';

/** What every address below short-urls/{code} takes: which domain the code is on. */
export const linkQuery = z.strictObject({ domain: queryText });

export type LinkQuery = z.output<typeof linkQuery>;
