import type { Channel, ClassReason, VisitClass } from '@hopcount/contracts';

import { createJudgeVisit, type Judged } from './classify-visit.js';
import { createReadChannel } from './read-channel.js';

/** What is kept of a visit of what the rules for classes read: not its headers. */
interface StoredClient {
  class: VisitClass;
  classReason: ClassReason | null;
  userAgent: string | null;
  isImported: boolean;
  isAnonymous: boolean;
}

/** And of what the rules for channels read. */
interface StoredOrigin {
  referrer: string | null;
  referrerHost: string;
  utmSource: string | null;
  utmMedium: string | null;
  destination: string | null;
  domain: string;
  isImported: boolean;
}

/**
 * The rules for classes and channels, for visits of before.
 * - What only a header told stays: `prefetch`, and of a person whether it was opted out; and what only the gateway saw, a flood
 *   of clicks. Whoever was no person then is opted out where neither visitor nor address is known.
 * - What an installation said of its visits stays; they have no domain of ours, as when they were imported, and a campaign if our
 *   own exports said one.
 */
export function createLabelRules() {
  const judgeVisit = createJudgeVisit();
  const readChannel = createReadChannel();
  return {
    classOf(client: StoredClient): Judged {
      const { class: given, classReason, userAgent, isImported, isAnonymous } = client;
      if (given === 'prefetch')
        return { class: given, reason: isImported ? (classReason ?? 'imported') : 'prefetch-header' };
      // Of before reasons were kept nobody knows who chose it.
      if (isImported && (classReason ?? 'imported') === 'imported') return { class: given, reason: 'imported' };
      // Of what is imported only our own exports say it.
      const doNotTrack = given === 'opted-out' || (given !== 'human' && !isImported && isAnonymous);
      const isFlood = classReason === 'click-flood';
      const judged = judgeVisit({ userAgent, signals: { purpose: null, doNotTrack }, ...(isFlood && { isFlood }) });
      // The reason stays: rules of later may take the agent for a person's again.
      return isFlood && judged.class === 'bot' ? { ...judged, reason: 'click-flood' } : judged;
    },
    channelOf({
      referrer,
      referrerHost,
      utmSource,
      utmMedium,
      destination,
      domain,
      isImported,
    }: StoredOrigin): Channel {
      const utm = { source: utmSource, medium: utmMedium };
      try {
        return readChannel({ referrer, referrerHost, utm, destination, domain: isImported ? '' : domain });
      } catch {
        // As the consumer labels such a visit, whose log names the defect.
        return 'other';
      }
    },
  };
}
