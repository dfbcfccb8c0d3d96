import { createReadHost } from '@hopcount/hosts';
import {
  createFindNetwork,
  createIdentifyDevice,
  createJudgeVisit,
  createLocateVisitor,
  createReadChannel,
  createReadLanguage,
  createReadReferrerHost,
  type GeoSource,
  memoised,
  type NetworkSource,
} from '@hopcount/links/visitors';
import { createHashVisitor, type HashKeys, type Logger } from '@hopcount/runtime';

import { createEnrichVisit } from '../enrich/enrich-visit.js';
import { createDecodeVisit } from './decode-visit.js';
import type { VisitSteps } from './read-visits.js';

export interface VisitStepsDeps {
  geoSources: readonly GeoSource[];
  networks: readonly NetworkSource[];
  hashKeys: HashKeys;
  ledgerDays: number;
  onLookupFailure: () => void;
  logger: Logger;
}

/** Bytes → a visit → what is known of it. */
export function createVisitSteps(deps: VisitStepsDeps): VisitSteps {
  return {
    decodeVisit: createDecodeVisit(deps),
    enrichVisit: createEnrichVisit(
      {
        judgeVisit: createJudgeVisit(),
        locateVisitor: createLocateVisitor(deps.geoSources, deps.onLookupFailure),
        findNetwork: createFindNetwork(deps.networks, deps.onLookupFailure),
        identifyDevice: createIdentifyDevice(),
        readReferrerHost: createReadReferrerHost(),
        readHost: memoised(createReadHost()),
        readLanguage: createReadLanguage(),
        readChannel: createReadChannel(),
        hashVisitor: createHashVisitor(deps.hashKeys),
      },
      (error) => deps.logger.error({ err: error }, 'a defect: a fact about a visit is counted as unknown'),
    ),
  };
}
