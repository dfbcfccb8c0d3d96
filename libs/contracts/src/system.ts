import { z } from 'zod';

import { CHECK_ADVICE, CHECK_FINDINGS } from './check-codes.js';

const instant = z.string().meta({ format: 'date-time' });
const offset = z.string().meta({ description: 'A whole number, beyond what JSON numbers hold.', examples: ['1042'] });
const count = z.int();
const sum = z.number();

export const CHECK_STATUSES = ['ok', 'warn', 'fail'] as const;

export const systemChecksSchema = z
  .strictObject({
    checks: z.strictObject({
      data: z.array(
        z
          .strictObject({
            name: z.string().meta({ examples: ['consumers'] }),
            status: z.enum(CHECK_STATUSES),
            found: z.string().meta({ examples: ['Stable, members: 1, pending: 0'] }),
            advice: z.string().nullable().meta({ description: 'What to do; null when nothing is.' }),
            foundCode: z
              .enum(CHECK_FINDINGS)
              .nullable()
              .meta({ description: 'What `found` says, with `values`; null: it has no code.' }),
            adviceCode: z.enum(CHECK_ADVICE).nullable().meta({ description: 'What `advice` says.' }),
            values: z.record(z.string(), z.union([z.string(), z.number()])),
          })
          .meta({ id: 'SystemCheck' }),
      ),
    }),
  })
  .meta({ id: 'SystemChecks' });

/** `waiting`: no worker has taken it yet. `broken-off`: its worker is silent; another one continues. */
export const VERIFICATION_STATES = [
  'waiting',
  'running',
  'paused',
  'broken-off',
  'done',
  'mismatch',
  'failed',
] as const;

export const verificationSchema = z
  .strictObject({
    id: z.string(),
    state: z.enum(VERIFICATION_STATES).meta({
      description:
        '`waiting`: no worker has taken it yet. `paused`: an operator paused its job. `broken-off`: its worker is silent; another one continues. `mismatch`: numbers differ.',
    }),
    startedBy: z.string(),
    startedAt: instant,
    endedAt: instant.nullable(),
    step: z.string().nullable().meta({ description: 'What is being checked now.' }),
    visits: count.nullable(),
    differences: count.nullable().meta({ description: 'At most 1,000 of each check are counted.' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'Verification' });

export const verificationListSchema = z
  .strictObject({ verifications: z.strictObject({ data: z.array(verificationSchema) }) })
  .meta({ id: 'VerificationList' });

const partition = z
  .strictObject({
    partition: count,
    logEnd: offset,
    checkpoint: offset.nullable().meta({ description: 'Every offset below is counted; null: nothing was yet.' }),
    pending: sum,
    lost: sum.meta({ description: 'Removed by retention before they were counted.' }),
    lastRecordAgeMs: sum.nullable(),
  })
  .meta({ id: 'PartitionLag' });

const files = z.strictObject({ files: count, visits: sum, bytes: sum }).meta({ id: 'ArchiveFilesSum' });

export const systemSchema = z
  .strictObject({
    version: z.string().meta({ description: 'Of this api.' }),
    at: instant.meta({ description: 'When it was looked at: up to 3 seconds ago.' }),
    counting: z
      .strictObject({
        countedUpTo: instant.nullable(),
        pending: sum,
        consumers: z.strictObject({ state: z.string(), members: count }),
        partitions: z.array(partition),
      })
      .nullable(),
    uncounted: z
      .strictObject({ since: instant, visits: sum })
      .nullable()
      .meta({ description: 'Visits of the last 24 hours known to be missing.' }),
    lost: z.strictObject({ records: sum, foundAt: instant.nullable() }).nullable(),
    deadLetters: z.strictObject({ letters: sum, waiting: sum }).nullable(),
    audits: z
      .strictObject({
        missingVisits: sum,
        surplusVisits: sum,
        differentMinutes: sum,
        unreportedMinutes: sum,
        unauditedMinutes: sum,
        unauditedVisits: sum,
        openMinutes: sum,
        answeredVisits: sum,
      })
      .nullable()
      .meta({ description: "Gateways' own minutes, held against what was counted." }),
    drift: z.strictObject({ slots: sum.nullable(), hosts: sum, hostChecksums: sum }).nullable().meta({
      description: 'Visits by which sums differ from their buckets, in a sample; `slots` null: kept by none.',
    }),
    heat: z
      .strictObject({
        links: z.array(
          z.strictObject({ domain: z.string(), shortCode: z.string(), visits: sum, slots: count, folded: z.boolean() }),
        ),
      })
      .nullable()
      .meta({ description: 'The ten links that are visited most now, if any is visited much.' }),
    archive: z.strictObject({ active: files, replaced: files, damaged: files, expired: files }).nullable(),
    surges: z.strictObject({ open: count, searchedUpTo: instant.nullable() }).nullable(),
    processes: z
      .array(z.strictObject({ name: z.string(), connections: count, silentSeconds: sum.nullable() }))
      .nullable()
      .meta({ description: 'As PostgreSQL knows them. Gateways are there only while they ask it.' }),
    gateways: z
      .array(
        z.strictObject({
          name: z.string(),
          version: z.string().nullable(),
          spooledVisits: sum.meta({ description: 'On the disk of its machine, until Kafka takes them.' }),
          silentSeconds: sum,
        }),
      )
      .nullable()
      .meta({
        description:
          'Processes of gateways as they last said, every 30 seconds: 200 at most, and of silent ones those alone that left visits.',
      }),
    verification: verificationSchema.nullable().meta({ description: 'The newest that was started here.' }),
    unknown: z.array(z.string()).meta({
      description: 'Parts that could not be read, which are null for that reason.',
      examples: [['counting', 'deadLetters']],
    }),
  })
  .meta({ id: 'System' });

const letter = {
  place: z.string().meta({ description: 'partition@offset', examples: ['1@42'] }),
  state: z.enum(['waiting', 'redriven', 'discarded']),
  time: instant,
  reason: z.string(),
  step: z.string(),
  detail: z.string(),
  originalTopic: z.string(),
  originalPartition: z.string(),
  originalOffset: z.string(),
  key: z.string().nullable(),
  sizeBytes: count,
};

export const deadLetterListSchema = z
  .strictObject({
    deadLetters: z.strictObject({
      data: z.array(z.strictObject(letter).meta({ id: 'DeadLetterSummary' })),
      next: z.string().nullable().meta({ description: '`after` of the next page; null: this is the last.' }),
    }),
  })
  .meta({ id: 'DeadLetterList' });

export const REDRIVE_FATES = ['would-be-counted', 'already-counted', 'purged', 'refused-again'] as const;

export const deadLetterSchema = z
  .strictObject({
    ...letter,
    redriven: z.enum(REDRIVE_FATES).meta({ description: 'What would become of it if it were sent again now.' }),
    refusedBecause: z.string().nullable(),
    headers: z.record(z.string(), z.string()),
    value: z
      .string()
      .nullable()
      .meta({ description: 'As text, cut at 16,384 characters; control characters replaced.' }),
  })
  .meta({ id: 'DeadLetter' });

export const redriveSchema = z
  .strictObject({
    actionId: z.string().meta({ description: 'Of its row in the audit log.' }),
    sent: count,
    expectedCountChange: count.meta({ description: 'Visits that nobody had counted.' }),
    alreadyCounted: count,
    purged: count,
    refusedAgain: count.meta({ description: 'They come back as new dead letters.' }),
  })
  .meta({ id: 'Redrive' });

export const auditMinutesSchema = z
  .strictObject({
    auditMinutes: z.strictObject({
      data: z.array(
        z
          .strictObject({
            minute: instant,
            source: z.string().meta({ description: 'A life of a gateway process.' }),
            status: z.enum(['open', 'equal', 'in-doubt', 'missing', 'surplus']),
            reported: sum.meta({ description: 'Visits it made durable.' }),
            missing: sum.meta({ description: 'Not counted of these; negative: counted beyond them.' }),
            answered: sum.meta({ description: 'Redirects although nothing could hold their visit.' }),
            refused: sum,
          })
          .meta({ id: 'AuditMinute' }),
      ),
      next: z.string().nullable(),
    }),
  })
  .meta({ id: 'AuditMinuteList' });

export const archiveFilesSchema = z
  .strictObject({
    archiveFiles: z.strictObject({
      data: z.array(
        z
          .strictObject({
            id: z.string(),
            level: z.string().meta({ examples: ['hour', 'day', 'month'] }),
            from: instant,
            to: instant,
            visits: sum,
            bytes: sum,
            state: z.enum(['active', 'replaced', 'damaged', 'expired']),
            sealedAt: instant,
          })
          .meta({ id: 'ArchiveFile' }),
      ),
      next: z.string().nullable(),
    }),
  })
  .meta({ id: 'ArchiveFileList' });

export type SystemChecks = z.infer<typeof systemChecksSchema>;
export type System = z.infer<typeof systemSchema>;
export type Verification = z.infer<typeof verificationSchema>;
export type VerificationList = z.infer<typeof verificationListSchema>;
export type DeadLetterList = z.infer<typeof deadLetterListSchema>;
export type DeadLetterShown = z.infer<typeof deadLetterSchema>;
export type Redrive = z.infer<typeof redriveSchema>;
export type AuditMinuteList = z.infer<typeof auditMinutesSchema>;
export type ArchiveFileList = z.infer<typeof archiveFilesSchema>;
