import { type Channel, eventIdTimeMs, isBlank, UNKNOWN, UNKNOWN_HOST, type VisitEventV1 } from '@hopcount/contracts';
import { type createReadHost, targetHostOf } from '@hopcount/hosts';
import type { EnrichedVisit } from '@hopcount/ledger';
import {
  type createFindNetwork,
  type createIdentifyDevice,
  type createJudgeVisit,
  type createLocateVisitor,
  type createReadChannel,
  type createReadLanguage,
  type createReadReferrerHost,
  NOWHERE,
} from '@hopcount/links/visitors';
import { type createHashVisitor, readIpHash } from '@hopcount/runtime';

export interface Enrichments {
  judgeVisit: ReturnType<typeof createJudgeVisit>;
  locateVisitor: ReturnType<typeof createLocateVisitor>;
  findNetwork: ReturnType<typeof createFindNetwork>;
  identifyDevice: ReturnType<typeof createIdentifyDevice>;
  readReferrerHost: ReturnType<typeof createReadReferrerHost>;
  readHost: ReturnType<typeof createReadHost>;
  readLanguage: ReturnType<typeof createReadLanguage>;
  readChannel: ReturnType<typeof createReadChannel>;
  hashVisitor: ReturnType<typeof createHashVisitor>;
}

type Device = ReturnType<Enrichments['identifyDevice']>;

const NO_DEVICE: Device = { os: UNKNOWN, osVersion: null, browser: UNKNOWN, browserVersion: null, device: UNKNOWN };

/**
 * A decoded visit → one row of the ledger. Never fails, or one visit would stop its partition: what cannot be found out
 * is `unknown`, also where a step has a defect, of which `onDefect` is told.
 */
export function createEnrichVisit(steps: Enrichments, onDefect: (error: unknown) => void) {
  const { locateVisitor, findNetwork, identifyDevice, readReferrerHost, readHost, readLanguage, readChannel } =
    neverFailing(steps, onDefect);
  return function enrichVisit(visit: VisitEventV1): EnrichedVisit {
    const place = locateVisitor(visit.clientIp);
    const device = identifyDevice(visit);
    const judged = steps.judgeVisit(visit);
    const { referrer, destination, domain } = visit;
    const referrerHost = readReferrerHost(referrer);
    const utm = knownUtm(visit.utm);
    const occurredAtMs = eventIdTimeMs(visit.eventId);
    // Field by field: two spread objects make a dictionary of each row, and everything that reads rows takes twice the time.
    return {
      eventId: visit.eventId,
      occurredAtMs,
      linkId: visit.linkId,
      class: judged.class,
      visitor: steps.hashVisitor(visit.visitorId, occurredAtMs),
      ip: readIpHash(visit.clientIpHash),
      clientIp: place.clientIp,
      latitude: place.latitude,
      longitude: place.longitude,
      country: place.country,
      region: place.region,
      city: place.city,
      os: device.os,
      osVersion: device.osVersion,
      browser: device.browser,
      browserVersion: device.browserVersion,
      device: device.device,
      network: findNetwork(visit.clientIp),
      referrerHost,
      language: readLanguage(visit.acceptLanguage),
      targetHost: targetHostOf(destination, readHost),
      shortHost: shortHostOf(visit, readHost),
      referrer,
      userAgent: visit.userAgent,
      destination: destination === '' ? null : destination, // A pixel leads nowhere.
      route: visit.route ?? null,
      channel: readChannel({ referrer, referrerHost, utm, destination, domain }),
      classReason: judged.reason,
      utm,
      truncated: visit.truncated,
      source: visit.source,
    };
  };
}

function neverFailing(steps: Enrichments, onDefect: (error: unknown) => void) {
  const orElse =
    <Asked, Fact>(unknown: Fact, find: (asked: Asked) => Fact): ((asked: Asked) => Fact) =>
    (asked) => {
      try {
        return find(asked);
      } catch (error) {
        onDefect(error);
        return unknown;
      }
    };
  return {
    locateVisitor: orElse(NOWHERE, steps.locateVisitor),
    findNetwork: orElse(UNKNOWN, steps.findNetwork),
    identifyDevice: orElse(NO_DEVICE, steps.identifyDevice),
    readReferrerHost: orElse(UNKNOWN, steps.readReferrerHost),
    readHost: orElse(UNKNOWN_HOST, steps.readHost),
    readLanguage: orElse(UNKNOWN, steps.readLanguage),
    readChannel: orElse<Parameters<typeof steps.readChannel>[0], Channel>('other', steps.readChannel),
  };
}

/** Anybody asks by whatever name they like, and what is no domain here is answered by the default one: only domains are told apart. */
function shortHostOf({ host, domain }: VisitEventV1, readHost: Enrichments['readHost']): string {
  const ours = readHost(domain);
  return host === undefined || readHost(host) === ours ? ours : UNKNOWN_HOST;
}

/**
 * Text cut in the middle of a surrogate pair is no Unicode, which jsonb refuses; in text columns the driver mends it. Blank values are
 * none: gateways of before kept them.
 */
function knownUtm(utm: VisitEventV1['utm']): VisitEventV1['utm'] {
  if (utm === null) return null;
  const known = (value: string | null) =>
    value === null || isBlank(value) ? null : value.replace(/\p{Surrogate}/gu, '\ufffd');
  const { source, medium, campaign, term, content } = utm;
  const fields = {
    source: known(source),
    medium: known(medium),
    campaign: known(campaign),
    term: known(term),
    content: known(content),
  };
  return Object.values(fields).every((value) => value === null) ? null : fields;
}
