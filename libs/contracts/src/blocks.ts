import { z } from 'zod';

import { pageOf } from './short-url.js';

/** What a block names: a host with all below it, a text in the address of a target, or a short URL. */
export const BLOCK_KINDS = ['host', 'pattern', 'link'] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

/** Whether visitors are sent nowhere, or see a page first that names the host. */
export const BLOCK_ACTIONS = ['block', 'warn'] as const;
export type BlockAction = (typeof BLOCK_ACTIONS)[number];

export const blockSchema = z
  .strictObject({
    id: z.string().meta({ examples: ['7'] }),
    kind: z.enum(BLOCK_KINDS),
    value: z.string().meta({ description: 'As it is compared.', examples: ['evil.example'] }),
    action: z.enum(BLOCK_ACTIONS),
    reason: z.string().meta({ examples: ['phishing, reported 2026-09-01'] }),
    createdAt: z.string().meta({ examples: ['2026-09-01T12:00:00+00:00'] }),
  })
  .meta({ id: 'Block' });

export const blockListSchema = z.strictObject({ blocks: pageOf(blockSchema) }).meta({ id: 'BlockList' });

/** What visitors can say of a link. */
export const REPORT_CAUSES = ['phishing', 'malware', 'spam', 'other'] as const;
export type ReportCause = (typeof REPORT_CAUSES)[number];

export const abuseReportSchema = z
  .strictObject({
    id: z.string().meta({ examples: ['3'] }),
    shortUrl: z
      .string()
      .meta({ description: 'Domain and code, as a block of the kind `link` names it.', examples: ['s.example/sale'] }),
    longUrl: z.string().nullable().meta({ description: 'Where it leads now; null: it is deleted.' }),
    cause: z.enum(REPORT_CAUSES),
    reports: z.int().meta({ description: 'How often it was said.', examples: [12] }),
    firstAt: z.string().meta({ examples: ['2026-09-01T12:00:00+00:00'] }),
    lastAt: z.string().meta({ examples: ['2026-09-02T12:00:00+00:00'] }),
  })
  .meta({ id: 'AbuseReport' });

export const abuseReportListSchema = z
  .strictObject({ abuseReports: pageOf(abuseReportSchema) })
  .meta({ id: 'AbuseReportList' });

export type AbuseReport = z.infer<typeof abuseReportSchema>;
export type AbuseReportPage = z.infer<typeof abuseReportListSchema>;
export type Block = z.infer<typeof blockSchema>;
export type BlockPage = z.infer<typeof blockListSchema>;
