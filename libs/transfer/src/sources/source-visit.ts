import type { Channel, ClassReason, VisitClass, VisitEventV1 } from '@hopcount/contracts';

import type { SourceKey } from './source-key.js';

/** A visit of a link of another installation, as its file tells it. Texts are what the ledger can hold; null: unknown. Its key is that of its link. */
export interface SourceVisit extends VisitExtras, SourceKey {
  /** Epoch milliseconds. */
  occurredAt: number;
  /** Of our own exports: the visit's own id. */
  eventId: string | null;
  referrer: string | null;
  userAgent: string | null;
  class: VisitClass | null;
  country: string | null;
  region: string | null;
  city: string | null;
  latitude: number | null;
  longitude: number | null;
  os: string | null;
  browser: string | null;
  device: string | null;
  referrerHost: string | null;
  language: string | null;
  destination: string | null;
  /** Fields that say something that could not be read, or that visits do not have here. */
  withoutFields: readonly string[];
}

/** Of our own exports; null: not said. */
export interface VisitExtras {
  osVersion: string | null;
  browserVersion: string | null;
  network: string | null;
  route: string | null;
  channel: Channel | null;
  classReason: ClassReason | null;
  utm: VisitEventV1['utm'];
}
