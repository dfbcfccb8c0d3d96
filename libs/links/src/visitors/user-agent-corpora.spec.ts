import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { createJudgeVisit } from './classify-visit.js';
import { NO_CRAWLERS, NO_PEOPLE, PLAYERS_OF_PEOPLE } from './corpora/differences.spec-helpers.js';
import { crawlerAgents } from './labels.spec-helpers.js';

const judge = createJudgeVisit();
const classOf = (userAgent: string) => judge({ userAgent, signals: { purpose: null, doNotTrack: false } }).class;
const isPerson = (userAgent: string) => classOf(userAgent) === 'human';
const corpus = (name: string) =>
  JSON.parse(readFileSync(new URL(`./corpora/${name}.json`, import.meta.url), 'utf8')) as string[];

const BROWSERS = [...corpus('isbot-browsers'), ...corpus('ua-parser-browsers')];
const CRAWLERS = [...corpus('isbot-crawlers'), ...crawlerAgents()];
const PLAYERS = corpus('ua-parser-players');

describe('well-kept lists of user agents', () => {
  it.each([
    ['browsers', BROWSERS, true, NO_PEOPLE],
    ['crawlers', CRAWLERS, false, NO_CRAWLERS],
    ['players', PLAYERS, false, PLAYERS_OF_PEOPLE],
  ] as const)('of %s are followed, but for the differences that say why', (_name, agents, arePeople, differences) => {
    const unexplained = agents.filter(
      (agent) =>
        isPerson(agent) !== arePeople &&
        !differences.some((difference) => difference.agents.test(agent) && difference.class === classOf(agent)),
    );
    expect(unexplained).toEqual([]);
  });

  it.each([
    ['browsers', BROWSERS, true, NO_PEOPLE],
    ['crawlers', CRAWLERS, false, NO_CRAWLERS],
    ['players', PLAYERS, false, PLAYERS_OF_PEOPLE],
  ] as const)('of %s differ in each difference', (_name, agents, arePeople, differences) => {
    const different = agents.filter((agent) => isPerson(agent) !== arePeople);
    const needless = differences.filter((difference) => !different.some((agent) => difference.agents.test(agent)));
    expect(needless).toEqual([]);
  });
});
