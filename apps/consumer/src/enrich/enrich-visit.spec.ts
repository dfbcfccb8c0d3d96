import { buildVisitEvent } from '@hopcount/testing';
import { describe, expect, it } from '@jest/globals';

import { createEnrichVisit, type Enrichments } from './enrich-visit.js';

const fails = () => {
  throw new TypeError('a defect');
};

describe('enriching a visit', () => {
  it('finds nothing out where a step has a defect, keeps the visit, and tells the defects', () => {
    const defects: unknown[] = [];
    const steps: Enrichments = {
      judgeVisit: () => ({ class: 'human', reason: 'person' }),
      locateVisitor: fails,
      findNetwork: fails,
      identifyDevice: fails,
      readReferrerHost: fails,
      readHost: fails,
      readLanguage: fails,
      readChannel: fails,
      hashVisitor: () => '7',
    };
    const visit = buildVisitEvent();
    expect(createEnrichVisit(steps, (error) => defects.push(error))(visit)).toMatchObject({
      ...{ eventId: visit.eventId, linkId: visit.linkId, class: 'human', visitor: '7' },
      ...{ clientIp: null, latitude: null, country: 'unknown', city: 'unknown', network: 'unknown' },
      ...{ os: 'unknown', osVersion: null, browser: 'unknown', device: 'unknown' },
      ...{ targetHost: '~unknown', shortHost: '~unknown' },
      ...{ referrerHost: 'unknown', language: 'unknown', channel: 'other', classReason: 'person' },
    });
    expect(defects.length).toBeGreaterThanOrEqual(7);
    expect(new Set(defects.map(String))).toEqual(new Set(['TypeError: a defect']));
  });
});
