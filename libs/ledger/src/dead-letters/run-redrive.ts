import type { KafkaAdmin, OffsetRange } from '@hopcount/kafka';
import { failpoint } from '@hopcount/runtime';

import { type OffsetRangeText, rangeFromText, rangeToText } from '../operations/offset-ranges.js';
import { checkCountChange } from '../verdicts/check-count-change.js';
import { VisitJudge } from '../verdicts/visit-judge.js';
import { withSender } from '../resend/with-sender.js';
import { letterRanges, type LetterChoice, type LetterServices, walkChosenLetters } from './chosen-letters.js';
import { DeadLetterStates, placeOf } from './dead-letter-states.js';
import { LetterRedrive } from './redrive-letters.js';
import type { Letter } from './walk-letters.js';

export interface RedriveServices extends LetterServices {
  config: {
    deadLetterTopic: string;
    visitsTopic: string;
    hostCountsTopic: string;
    consumerGroup: string;
    ledgerDays: number;
  };
  admin: Pick<KafkaAdmin, 'topicNames' | 'topicOffsets' | 'groupOffsets'>;
}

export interface RedriveChoice extends LetterChoice {
  limit: number;
  /** Also those that were redriven or discarded before. */
  again: boolean;
  ratePerSecond?: number | undefined;
}

/** Where another process goes on. */
export interface RedriveCheckpoint {
  /** As they were at the start: letters that are refused again come behind them. */
  ranges: OffsetRangeText[];
  tally: LetterRedrive['tally'];
  /** Visits of what is in the tally that the ledger did not have. */
  expected: number;
}

export interface RedriveRun {
  actionId: string;
  /** Left out: from the beginning. */
  begin?: RedriveCheckpoint | undefined;
  /** Keeps it before anything else is sent. */
  keep: (checkpoint: RedriveCheckpoint) => Promise<void>;
  /** Until what was sent is counted; null: the count is not checked. */
  waitMs: number | null;
  /** Aborted, nothing more is sent. */
  signal?: AbortSignal | undefined;
}

/** What `runRedrive` would do. */
export async function planRedrive(services: RedriveServices, choice: RedriveChoice): Promise<LetterRedrive> {
  const { config, database } = services;
  const plan = new LetterRedrive({
    judge: new VisitJudge(database, config),
    countsTopic: config.hostCountsTopic,
  });
  const ranges = await letterRanges(services, choice);
  await walkChosenLetters(
    services,
    { ranges, reason: choice.reason },
    { limit: choice.limit, matches: isChosen(choice), onLetters: (letters) => plan.take(letters) },
  );
  return plan;
}

/**
 * Sends the letters again and checks that the count changes as expected. Killed anywhere, another process goes on: letters whose
 * state says `redriven` are not sent again, and those that were sent without it are sent twice, which the ledger's key counts once.
 * What the killed one sent is expected still unless it is counted by now, so that the end says whether all of it was.
 */
export async function runRedrive(services: RedriveServices, choice: RedriveChoice, run: RedriveRun) {
  const { config, database, admin, connection } = services;
  const { actionId, begin, waitMs } = run;
  const { ratePerSecond, reason } = choice;
  const countsTopic = config.hostCountsTopic;
  const judge = new VisitJudge(database, config);
  const states = new DeadLetterStates(database, config.deadLetterTopic);
  const ranges = begin === undefined ? await letterRanges(services, choice) : begin.ranges.map(rangeFromText);
  if (begin === undefined && ranges.length > 0)
    await states.forgetGone(await admin.topicOffsets(config.deadLetterTopic));
  const sentBefore = new LetterRedrive({ judge, countsTopic });
  if (begin !== undefined) await expectSent(services, { ranges, sent: await states.redrivenBy(actionId) }, sentBefore);
  const { expected } = sentBefore;
  const countedBefore = Math.max(0, (begin?.expected ?? 0) - expected.size);
  const tally = await withSender(
    { connection, config, actionId, ratePerSecond, signal: run.signal },
    async (sender) => {
      const execution = { sender, states, actionId };
      const redrive = new LetterRedrive({ judge, countsTopic, ratePerSecond, execution }, expected, begin?.tally);
      const keep = () =>
        run.keep({
          ranges: ranges.map(rangeToText),
          tally: { ...redrive.tally },
          expected: countedBefore + expected.size,
        });
      await keep();
      await walkChosenLetters(
        services,
        { ranges, reason },
        {
          limit: choice.limit - redrive.tally.letters,
          matches: isChosen(choice),
          onLetters: async (letters) => {
            await redrive.take(letters);
            failpoint('redrive-letters-sent');
            await keep();
          },
        },
      );
      return redrive.tally;
    },
  );
  const { outcome, counts } = await checkCountChange(services, { expected, counts: { ...tally }, waitMs });
  return { outcome, counts: { ...counts, ...withEarlier(counts, countedBefore) } };
}

/** What a run that was killed had sent is part of both numbers. */
function withEarlier(counts: { expectedCountChange: number; actualCountChange?: number }, countedBefore: number) {
  const { expectedCountChange: expected, actualCountChange: actual } = counts;
  return {
    expectedCountChange: expected + countedBefore,
    ...(actual !== undefined && { actualCountChange: actual + countedBefore }),
  };
}

/** Has letters that were sent judged again: of those that are not counted yet the count is still to change. */
async function expectSent(
  services: RedriveServices,
  { ranges, sent }: { ranges: readonly OffsetRange[]; sent: ReadonlySet<string> },
  run: LetterRedrive,
): Promise<void> {
  const matches = ({ record }: Letter) => sent.has(placeOf(record));
  const onLetters = (letters: Letter[]) => run.take(letters);
  await walkChosenLetters(services, { ranges }, { limit: sent.size, matches, onLetters });
}

function isChosen({ again }: RedriveChoice) {
  return ({ state }: Letter) => again || state === 'waiting';
}
