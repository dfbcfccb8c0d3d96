import type { Channel, ClassReason, VisitClass } from '@hopcount/contracts';

/** What is kept of a visit of what rules for classes read. */
export interface StoredClient {
  class: VisitClass;
  /** null: it is from before reasons were kept. */
  classReason: ClassReason | null;
  userAgent: string | null;
  isImported: boolean;
  /** Neither a visitor nor an address is known of it. */
  isAnonymous: boolean;
}

/** And of what rules for channels read. */
export interface StoredOrigin {
  referrer: string | null;
  referrerHost: string;
  utmSource: string | null;
  utmMedium: string | null;
  destination: string | null;
  /** Of its link, now. */
  domain: string;
  isImported: boolean;
}

/** The rules of today, for visits of which the ledger and files hold what they hold. Equal visits get equal labels. */
export interface LabelRules {
  classOf: (client: StoredClient) => { class: VisitClass; reason: ClassReason };
  channelOf: (origin: StoredOrigin) => Channel;
}
