import { Body, Controller } from '@nestjs/common';
import { domainSchema, type NotFoundRedirectsAnswer, notFoundRedirectsSchema } from '@hopcount/contracts';
import { type DomainRecord, DomainSettings } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import { z } from 'zod';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { expectUnchanged, sentBack } from '../../http/sent-back.js';

const target = (description: string) =>
  z
    .string()
    .refine((url) => url.trim() !== '', 'blank')
    .nullish()
    .meta({ description, example: 'https://example.com/{ORIGINAL_PATH}?from={DOMAIN}' });

const domainEdits = {
  domain: z
    .string()
    .max(1_024)
    .refine((domain) => domain.trim() !== '', 'blank')
    .meta({ description: '`host` or `host:port`; one that is new is filed.', example: 'go.example.com' }),
  baseUrlRedirect: target('Where `/` leads.'),
  regular404Redirect: target('Where addresses lead that can be no short URL.'),
  invalidShortUrlRedirect: target('Where codes lead that no short URL has, or one that is not valid now.'),
};
const redirectDomainRequest = z.strictObject({ ...sentBack(domainSchema, domainEdits), ...domainEdits });

@Controller()
export class RedirectDomainController {
  constructor(private readonly domains: DomainSettings) {}

  @Operation('PATCH /rest/v3/domains/redirects', {
    id: 'redirectDomain',
    scope: 'links:write',
    summary: 'Say where a domain sends visitors who find nothing',
    description:
      'Fields that are not given stay; null clears. Every gateway follows within a second. In path, query and fragment ' +
      '`{DOMAIN}` stands for the domain that was asked and `{ORIGINAL_PATH}` for the path. Such requests are orphan visits all the same.',
    tag: 'Domains',
    body: redirectDomainRequest,
    answer: notFoundRedirectsSchema,
    problems: ['unsafe-target', 'beyond-role', 'read-only-field'],
  })
  async redirect(
    @Reached() reach: Reach,
    @Body() given: z.output<typeof redirectDomainRequest>,
  ): Promise<NotFoundRedirectsAnswer> {
    const { domain, isDefault, redirects, ...edit } = given;
    if (isDefault !== undefined || redirects !== undefined) {
      const before = await this.domains.find(reach, domain);
      expectUnchanged(
        { isDefault, redirects },
        { isDefault: before.isDefault, redirects: redirectsOf(before) },
        { taken: {} },
      );
    }
    return redirectsOf(await this.domains.redirect(reach, domain, edit));
  }
}

function redirectsOf(record: DomainRecord): NotFoundRedirectsAnswer {
  const { baseUrlRedirect, regular404Redirect, invalidShortUrlRedirect } = record;
  return { baseUrlRedirect, regular404Redirect, invalidShortUrlRedirect };
}
