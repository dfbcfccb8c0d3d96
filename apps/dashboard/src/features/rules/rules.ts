import { answerOf, type components, HopcountProblem, type operations } from '@hopcount/client';
import { useMutation } from '@tanstack/react-query';

import { api } from '../../api/client.js';
import { useApi, useFresh } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';
import { addressOf, type LinkKey, LINKS } from '../links/links.js';

export type Rules = components['schemas']['RedirectRules'];
export type RulesEdit = Required<
  Omit<operations['setRedirectRules']['requestBody']['content']['application/json'], 'defaultLongUrl'>
>;
export type TriedRules = components['schemas']['TriedRules'];
export type ConditionType = RulesEdit['redirectRules'][number]['conditions'][number]['type'];
export type Condition = components['schemas']['RedirectRule']['conditions'][number];

export const CONDITION_TYPES = [
  ...['device', 'browser', 'language', 'geolocation-country-code', 'geolocation-city-name'],
  ...['query-param', 'any-value-query-param', 'valueless-query-param', 'ip-address', 'before-date', 'after-date'],
] as ConditionType[];
/** What the api knows by these names; brands are the same in every language. */
export const DEVICES = {
  ...{ android: 'Android', ios: 'iOS', windows: 'Windows', macos: 'macOS', linux: 'Linux', chromeos: 'ChromeOS' },
} as const;
export const BROWSERS = {
  ...{ chrome: 'Chrome', firefox: 'Firefox', edge: 'Edge', safari: 'Safari', opera: 'Opera' },
  android_browser: 'Android Browser',
} as const;

/** With the version of the link, so that an edit overwrites nobody's. */
export interface ReadRules {
  rules: Rules;
  etag: string | undefined;
}

async function readRules(key: LinkKey, signal: AbortSignal): Promise<ReadRules> {
  const { data, error, response } = await api.GET('/rest/v3/short-urls/{code}/redirect-rules', {
    params: addressOf(key),
    signal,
  });
  if (data === undefined) throw new HopcountProblem(response.status, error);
  return { rules: data, etag: response.headers.get('etag') ?? undefined };
}

export function useRules({ shortCode, domain }: LinkKey) {
  const key: LinkKey = { shortCode, domain };
  return useApi([LINKS, 'rules', key], (signal) => readRules(key, signal));
}

/** As a form wants them. */
export function useFreshRules({ shortCode, domain }: LinkKey) {
  const key: LinkKey = { shortCode, domain };
  return useFresh([LINKS, 'rules', key], (signal) => readRules(key, signal));
}

export function useSetRules(link: LinkKey) {
  return useChange(LINKS, ({ body, etag }: { body: RulesEdit; etag: string | undefined }) => {
    const header = etag === undefined ? {} : { header: { 'If-Match': etag } };
    const params = { ...addressOf(link), ...header };
    return answerOf(api.POST('/rest/v3/short-urls/{code}/redirect-rules', { params, body }));
  });
}

/** As some browsers say who they are. */
export const AGENTS = {
  'iPhone, Safari':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Android, Chrome':
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'Windows, Edge':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
  'Windows, Chrome':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'macOS, Safari':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Linux, Firefox': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'ChromeOS, Chrome':
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
} as const;

type Visitor = NonNullable<operations['tryRedirectRules']['requestBody']>['content']['application/json'];

/** Nothing is changed by it. */
export function useTryRules(link: LinkKey) {
  return useMutation({
    mutationFn: (body: Visitor) =>
      answerOf(api.POST('/rest/v3/short-urls/{code}/redirect-rules/try', { params: addressOf(link), body })),
  });
}
