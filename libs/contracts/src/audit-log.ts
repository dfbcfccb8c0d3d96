import { z } from 'zod';

export const AUDIT_ACTOR_KINDS = ['api-key', 'user', 'cli', 'system'] as const;

/** What the audit log is of: a kind for each table that migrations hand to audit_table(). */
export const AUDIT_KINDS = [
  ...(['link', 'tag', 'group', 'domain', 'api-key', 'block', 'import'] as const),
  ...([
    'user',
    'group-role',
    'provider-identity',
    'abuse-report',
    'invite',
    'share-link',
    'webhook',
    'alert',
    'job',
    'orphan-visits',
    'host-batch',
    'ledger',
    'operation',
  ] as const),
] as const;

const fields = z.record(z.string(), z.unknown()).nullable();
const text = z.string().nullable();

export const auditEntrySchema = z
  .strictObject({
    id: z.string().meta({ description: 'Of this row, for `after`.', examples: ['1790000000000-17'] }),
    date: z.string().meta({ format: 'date-time', description: 'When its transaction began: UTC, milliseconds.' }),
    actor: z
      .strictObject({
        kind: z.enum(AUDIT_ACTOR_KINDS),
        id: text.meta({ description: 'Of the key or user.' }),
        name: z
          .string()
          .meta({ description: 'Of the key or user then; of a command the operator; of `system` the program.' }),
        address: text.meta({ description: 'Where the request came from, whole; of a command the host.' }),
        operation: text.meta({ description: 'The operation of this API that did it.', examples: ['editShortUrl'] }),
        requestId: text.meta({ description: "The answer's X-Request-Id." }),
      })
      .meta({ id: 'AuditActor' }),
    kind: z.string().meta({ examples: [...AUDIT_KINDS] }),
    action: z.string().meta({
      examples: ['create', 'edit', 'delete', 'restore', 'purge', 'purge-visits', 'tag', 'untag', 'revoke', 'end'],
    }),
    object: text.meta({ description: 'What it is called: of a link domain/code.', examples: ['s.example/sale'] }),
    objects: z.int().meta({ description: 'More than 1: so many in one step; `after.first` names some.' }),
    before: fields.meta({ description: 'Of an edit what differs; null: it was created.' }),
    after: fields.meta({
      description: 'Null: it is gone. Secrets are `(secret)`, texts above 4,000 characters are cut.',
    }),
  })
  .meta({ id: 'AuditEntry' });

export const auditLogSchema = z
  .strictObject({
    auditLog: z.strictObject({
      data: z.array(auditEntrySchema),
      next: text.meta({ description: '`after` of the next page; null: this is the last.' }),
    }),
  })
  .meta({ id: 'AuditLog' });

export const auditExportSchema = z.string().meta({
  id: 'AuditExport',
  description:
    'JSON Lines: an AuditEntry a line. CSV: `id`, `date`, `actorKind`, `actorId`, `actorName`, `address`, `operation`, `requestId`, `kind`, `action`, `object`, `objects`, and `before` and `after` as JSON; text that a spreadsheet would run as a formula behind an apostrophe.',
});

export type AuditEntry = z.infer<typeof auditEntrySchema>;
export type AuditLogPage = z.infer<typeof auditLogSchema>;
export type AuditActorKind = AuditEntry['actor']['kind'];
export type AuditKind = (typeof AUDIT_KINDS)[number];
