import { z } from 'zod';

import { createLinkRequest } from '../create-link/create-link.request.js';

export const MAX_LINKS = 1_000;
/** Of a thousand links with a long URL of 2,048 characters and as much beside it. */
export const MAX_BATCH_BYTES = 4 * 1_024 * 1_024;

/** Each is held against its schema by itself, so that one that is wrong fails alone; the document says what it may be. */
const described = z.toJSONSchema(createLinkRequest, { io: 'input', unrepresentable: 'any' });
delete described.$schema;

/** Body of POST short-urls/batch. */
export const createLinksRequest = z.strictObject({
  shortUrls: z.array(z.unknown().meta(described)).min(1).max(MAX_LINKS),
});

export type CreateLinksRequest = z.output<typeof createLinksRequest>;
