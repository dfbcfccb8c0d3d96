import { spellCode } from '@hopcount/links';
import { AppError } from '@hopcount/runtime';

/** As Shlink names them. */
const PREFIX = 'https://shlink.io/';
const VISITS = 'new-visit';
const ORPHANS = 'new-orphan-visit';
const TOPICS_AT_MOST = 50;

/** What somebody follows. */
export interface LiveTopics {
  visits: boolean;
  orphans: boolean;
  /** Visits of links with these codes, on any domain. */
  codes: ReadonlySet<string>;
}

/** @throws AppError `invalid-data` */
export function parseTopics(names: readonly string[]): LiveTopics {
  const topics = { visits: false, orphans: false, codes: new Set<string>() };
  if (names.length === 0 || names.length > TOPICS_AT_MOST) throw invalid();
  for (const name of names) {
    const topic = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
    if (topic === VISITS) topics.visits = true;
    else if (topic === ORPHANS) topics.orphans = true;
    else if (topic.startsWith(`${VISITS}/`) && isCode(topic.slice(VISITS.length + 1))) {
      topics.codes.add(spellCode(topic.slice(VISITS.length + 1)));
    } else throw invalid();
  }
  return topics;
}

function isCode(text: string): boolean {
  return text !== '' && text.length <= 256 && !/[\u0000\p{Cs}]/u.test(text);
}

function invalid(): AppError {
  const message = `Name 1 to ${TOPICS_AT_MOST} topics: ${PREFIX}${VISITS}, ${PREFIX}${VISITS}/{shortCode} or ${PREFIX}${ORPHANS}.`;
  return new AppError('invalid-data', message, { details: { invalidElements: ['topic'] } });
}
