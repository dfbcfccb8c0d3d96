import { z } from 'zod';

import { pageOf } from './short-url.js';

const instant = z.string().meta({ format: 'date-time', description: 'Whole seconds, `+00:00`.' });
const named = z.string().nullable();

const fields = {
  id: z.int(),
  name: z.string().meta({ examples: ['Spring, for the agency'] }),
  view: z
    .strictObject({
      domain: named,
      tag: named,
      group: named,
      shortCode: named,
      filters: z.array(z.string()).meta({ examples: [['country=DE']] }),
    })
    .meta({ description: 'Whose visits it shows and which of them, of any time.' }),
  createdBy: z.strictObject({ id: z.int(), name: z.string() }),
  dateCreated: instant,
  dateExpires: instant,
};

export const shareLinkSchema = z.strictObject(fields).meta({ id: 'ShareLink' });

export const newShareLinkSchema = z
  .strictObject({
    link: z.url().meta({ description: 'A page of this API; what is behind the `#` is the token.' }),
    token: z.string().meta({ description: 'For the header `X-Share-Token`. It is never shown again.' }),
    ...fields,
  })
  .meta({ id: 'NewShareLink' });

export const shareLinkListSchema = z
  .strictObject({ shareLinks: pageOf(shareLinkSchema) })
  .meta({ id: 'ShareLinkList' });

export type ShareLink = z.infer<typeof shareLinkSchema>;
export type NewShareLink = z.infer<typeof newShareLinkSchema>;
export type ShareLinkList = z.infer<typeof shareLinkListSchema>;
