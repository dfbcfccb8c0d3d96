import { Controller } from '@nestjs/common';
import { type DomainListAnswer, domainListSchema } from '@hopcount/contracts';
import { DomainSettings } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { Settings } from '../../settings.js';

@Controller()
export class ListDomainsController {
  constructor(
    private readonly domains: DomainSettings,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/domains', {
    id: 'listDomains',
    scope: 'links:read',
    summary: 'List domains',
    description:
      'The default one, then those with short URLs or redirects, by name; at most 10,000. International names are punycode.',
    tag: 'Domains',
    answer: domainListSchema,
  })
  async list(@Reached() reach: Reach): Promise<DomainListAnswer> {
    const records = await this.domains.list(reach);
    const data = records.map(({ authority: domain, isDefault, ...redirects }) => ({ domain, isDefault, redirects }));
    return { domains: { data, defaultRedirects: this.settings.notFoundRedirects } };
  }
}
