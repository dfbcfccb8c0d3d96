import { Body, Controller, Param, Query, Req } from '@nestjs/common';
import {
  type DeadLetterList,
  deadLetterListSchema,
  deadLetterSchema,
  type DeadLetterShown,
  type Redrive,
  redriveSchema,
  type System,
  type SystemChecks,
  systemChecksSchema,
  systemSchema,
  type Verification,
  type VerificationList,
  verificationListSchema,
  verificationSchema,
} from '@hopcount/contracts';
import { VerificationRequests } from '@hopcount/ledger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { Operation } from '../http/operation.js';
import { DeadLetters } from './dead-letters.js';
import { operatorOf } from './operator.js';
import { fromCursor, parsePlace, toCursor } from './places.js';
import { SystemChecker } from './system-checker.js';
import { SystemState } from './system-state.js';
import { limitOf, listLettersQuery, MAX_LETTERS_PER_PAGE, redriveRequest } from './system.query.js';
import { toVerification } from './to-verification.js';

const LISTED_VERIFICATIONS = 20;
const READ_KAFKA = ['kafka-away', 'too-many-questions'] as const;

/** For who operates Hopcount: what the command line says of lag, dead letters, verify and doctor. */
@Controller()
export class SystemController {
  constructor(
    private readonly state: SystemState,
    private readonly checker: SystemChecker,
    private readonly letters: DeadLetters,
    private readonly requests: VerificationRequests,
  ) {}

  @Operation('GET /rest/v3/system', {
    id: 'getSystem',
    scope: 'admin',
    summary: 'The state of counting, storing and checking',
    description:
      'Each part that could not be read within 5 seconds is null and named in `unknown`; without Kafka these are `counting` and `deadLetters`. ' +
      'What waits in the spool of a gateway is known to its machine only: `hopcount doctor` there, or its metrics.',
    tag: 'Operations',
    answer: systemSchema,
  })
  read(): Promise<System> {
    return this.state.read();
  }

  @Operation('GET /rest/v3/system/checks', {
    id: 'listSystemChecks',
    scope: 'admin',
    summary: 'What is wrong, and what to do about it',
    description: 'What `hopcount doctor` finds of the services, as this api sees them. Nothing is changed.',
    tag: 'Operations',
    answer: systemChecksSchema,
  })
  async check(): Promise<SystemChecks> {
    return { checks: { data: await this.checker.check() } };
  }

  @Operation('GET /rest/v3/system/dead-letters', {
    id: 'listDeadLetters',
    scope: 'admin',
    summary: 'List dead letters',
    description: 'The newest first. Reading moves no consumer.',
    tag: 'Operations',
    query: listLettersQuery,
    answer: deadLetterListSchema,
    problems: READ_KAFKA,
  })
  async listLetters(@Query() query: z.output<typeof listLettersQuery>): Promise<DeadLetterList> {
    const before = query.after === null ? null : fromCursor(query.after);
    const { data, next } = await this.letters.list(before, limitOf(query.itemsPerPage, MAX_LETTERS_PER_PAGE));
    return { deadLetters: { data, next: next === null ? null : toCursor(next) } };
  }

  @Operation('GET /rest/v3/system/dead-letters/:place', {
    id: 'getDeadLetter',
    scope: 'admin',
    summary: 'Read a dead letter',
    description: 'Whole, with what would become of it if it were sent again now. It has what the visitor sent.',
    tag: 'Operations',
    answer: deadLetterSchema,
    problems: ['dead-letter-not-found', ...READ_KAFKA],
  })
  showLetter(@Param('place') place: string): Promise<DeadLetterShown> {
    return this.letters.show(parsePlace(place));
  }

  @Operation('POST /rest/v3/system/dead-letters/redrive', {
    id: 'redriveDeadLetters',
    scope: 'admin',
    summary: 'Send dead letters to be counted again',
    description:
      'As they came: key, value and headers. A visit is counted once however often this is asked; a letter that is refused again comes ' +
      'back as a new one. Letters that the topic has no more are left out. `sent` are acknowledged, and counted a moment later.',
    tag: 'Operations',
    body: redriveRequest,
    answer: redriveSchema,
    problems: READ_KAFKA,
  })
  redrive(@Body() { places }: z.output<typeof redriveRequest>, @Req() request: FastifyRequest): Promise<Redrive> {
    const chosen = [...new Set(places)].map((place) => parsePlace(place, 'places'));
    return this.letters.redrive(chosen, operatorOf(request));
  }

  @Operation('GET /rest/v3/system/verifications', {
    id: 'listVerifications',
    scope: 'admin',
    summary: 'List verifications',
    description: 'The newest 20 that were started here; the command line keeps no record of its own.',
    tag: 'Operations',
    answer: verificationListSchema,
  })
  async listVerifications(): Promise<VerificationList> {
    const rows = await this.requests.list(LISTED_VERIFICATIONS);
    return { verifications: { data: rows.map(toVerification) } };
  }

  @Operation('POST /rest/v3/system/verifications', {
    id: 'startVerification',
    scope: 'admin',
    summary: 'Start a verification',
    description:
      'A worker recomputes every number from the ledger and the files, while visits go on being counted. One at a time: while one is ' +
      'open the answer is that one.',
    tag: 'Operations',
    answer: verificationSchema,
  })
  async startVerification(@Req() request: FastifyRequest): Promise<Verification> {
    await this.requests.add(operatorOf(request));
    const [newest] = await this.requests.list(1);
    if (newest === undefined) throw new Error('what was asked for is listed');
    return toVerification(newest);
  }
}
