import { useTranslation } from 'react-i18next';

const GROUPS = ['unknown', 'direct', 'ip', 'app', 'rest'] as const;
const REST_BELOW = '~rest.';

/** A host as people read it: names that stand for several, in words. */
export function useHostName(): (host: string) => string {
  const { t } = useTranslation();
  return (host) => {
    if (host.startsWith(REST_BELOW)) return t('hosts.groups.restBelow', { host: host.slice(REST_BELOW.length) });
    const group = GROUPS.find((one) => `~${one}` === host);
    return group === undefined ? host : t(`hosts.groups.${group}`);
  };
}
