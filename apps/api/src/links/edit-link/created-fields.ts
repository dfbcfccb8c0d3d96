import { spellCode, type LinkRecord, type LinkStore } from '@hopcount/links';
import { z } from 'zod';

import { readOnly } from '../../http/sent-back.js';

const text = (description: string) => z.string().max(2_048).nullish().meta({ description });

/** Fields of the creation that Shlink's apps send with every edit. */
export const createdFields = {
  customSlug: text('Of the creation: the code that the short URL has, or nothing.'),
  domain: text('Of the creation: the domain that the short URL has, or nothing.'),
  pathPrefix: text('Of the creation: what the code begins with, or nothing.'),
  shortCodeLength: z
    .int()
    .nullish()
    .meta({ description: 'Of the creation: the length of the code. Ignored beside `customSlug`.' }),
  findIfExists: z.boolean().nullish().meta({ description: 'Of the creation: ignored, since nothing is created.' }),
};

type Created = z.output<z.ZodObject<typeof createdFields>>;

/** Null and blank mean "not given", as in the creation. @throws AppError `read-only-field` */
export function expectAsCreated(given: Created, link: LinkRecord, links: Pick<LinkStore, 'nonDefault'>): void {
  const { domain, shortCodeLength, customSlug } = given;
  const slug = spellCode(customSlug ?? '');
  const whole = spellCode(`${given.pathPrefix ?? ''}${customSlug?.trimStart() ?? ''}`);
  // Spaces at its end are in the code.
  const start = spellCode(`${given.pathPrefix ?? ''}x`).slice(0, -1);
  const isOfLength = slug !== '' || shortCodeLength == null || start.length + shortCodeLength === link.code.length;
  const differing = [
    ...(slug === '' || slug === link.code || whole === link.code ? [] : ['customSlug']),
    ...(link.code.startsWith(start) ? [] : ['pathPrefix']),
    ...(isOfLength ? [] : ['shortCodeLength']),
    ...(isBlank(domain) || links.nonDefault(domain) === links.nonDefault(link.domain) ? [] : ['domain']),
  ];
  if (differing.length > 0) throw readOnly(differing);
}

function isBlank(domain: string | null | undefined): domain is null | undefined | '' {
  return domain == null || domain.trim() === '';
}
