import { Controller, Headers, Query, Req, Res } from '@nestjs/common';
import {
  type VisitsExplainedAnswer,
  visitsExplainedSchema,
  type VisitsProofAnswer,
  visitsProofSchema,
} from '@hopcount/contracts';
import { reachFor } from '@hopcount/identities';
import { LinkDirectory } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import { areEqual, ExplainedVisits, formatRanges, VisitsProof } from '@hopcount/statistics';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { clientGone } from '../../http/client-gone.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { Settings } from '../../settings.js';
import { PROBLEMS, sendAnswer } from '../statistics-answer.js';
import { VisitsQuestions } from '../visits-statistics/visits-questions.js';
import {
  type ExplainQuery,
  explainQuery,
  type ProofQuery,
  proofQuery,
} from '../visits-statistics/visits-statistics.query.js';
import { toExplainedVisit } from './to-explained-visit.js';
import { EXPLAIN_EXAMPLES, PROOF_EXAMPLES } from './visits-evidence.examples.js';

/** What stands behind a number. */
@Controller()
export class VisitsEvidenceController {
  constructor(
    private readonly questions: VisitsQuestions,
    private readonly proof: VisitsProof,
    private readonly visits: ExplainedVisits,
    private readonly directory: LinkDirectory,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/statistics/proof', {
    id: 'proveVisits',
    scope: 'statistics:read',
    summary: 'Prove that the visits a number was counted from are all there, each once',
    description:
      'Number and checksum of the visits that a question with the same scope, range and filters counts, and, of the whole quarter hours that hold ' +
      'its range, of all visits as they are read now and as they were added up when they were counted. The checksum is the XOR of their ids, so ' +
      'whoever has the visits can compute it.',
    tag: 'Statistics',
    query: proofQuery,
    answer: visitsProofSchema,
    examples: PROOF_EXAMPLES,
    problems: PROBLEMS,
  })
  async prove(
    @Reached() reach: Reach,
    @Query() query: ProofQuery,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asked = await this.questions.understand(reach, query, clientGone(reply));
    const { used, rows, buckets, quarterHours, comparedOf, ...state } = await this.proof.read(asked.query);
    const [range] = formatRanges([quarterHours], asked.range.timeZone);
    const answer: VisitsProofAnswer = {
      ...this.questions.describe(asked, state),
      used,
      quarterHours: range ?? { startDate: '', endDate: '' },
      ...{ comparedOf, rows, buckets },
      agree: areEqual(rows, buckets),
    };
    sendAnswer(reply, known, answer);
  }

  @Operation('GET /rest/v3/statistics/explain', {
    id: 'explainVisits',
    scope: 'statistics:read',
    summary: 'The visits behind a number, with what is stored of them',
    description:
      'Of the same scope, range and filters as the question that gave the number, newest first: `next` leads to the next page, and ' +
      'all pages together have the visits of the number. `exact` and `readFrom` are those of what this page looked at.',
    tag: 'Statistics',
    query: explainQuery,
    answer: visitsExplainedSchema,
    examples: EXPLAIN_EXAMPLES,
    problems: PROBLEMS,
  })
  async explain(
    @Reached() reach: Reach,
    @Req() { identity }: FastifyRequest,
    @Query() query: ExplainQuery,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { before, itemsPerPage: limit, ...question } = query;
    const asked = await this.questions.understand(reach, question, clientGone(reply));
    const { visits, ...state } = await this.visits.read(asked.query, { before, limit });
    const addresses = await this.directory.addresses([...new Set(visits.map(({ linkId }) => linkId))]);
    const hasVisitor = identity !== undefined && reachFor(identity, 'admin') !== undefined;
    const { timeZone } = asked.range;
    const answer: VisitsExplainedAnswer = {
      ...this.questions.describe(asked, state),
      visits: visits.map(({ linkId, ...visit }) => {
        const address = addresses.get(linkId);
        const shortUrl = address && this.settings.publicUrl(address.domain, `/${address.code}`);
        return toExplainedVisit(visit, { address: { ...address, shortUrl }, timeZone, hasVisitor });
      }),
      next: visits.length < limit ? null : (visits.at(-1)?.eventId ?? null),
    };
    sendAnswer(reply, known, answer);
  }
}
