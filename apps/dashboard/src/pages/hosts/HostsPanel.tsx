import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { KeysetPages } from '../../ui/KeysetPages.js';
import { Panel } from '../../ui/Panel.js';
import { useChangeSearch } from '../../ui/use-change-search.js';
import { HOSTS_PER_PAGE, type HostsAsked, SITES_AT_MOST, useHosts } from './hosts.js';
import classes from './hosts.module.css';
import { HostsTable } from './HostsTable.js';
import { useHostName } from './use-host-name.js';

interface Props {
  asked: HostsAsked;
  /** Chosen, on this page or another one. */
  compared: readonly string[];
}

/** Names one label below another one, or sites, each with all below it. */
export function HostsPanel({ asked, compared }: Props) {
  const { t } = useTranslation();
  const changeSearch = useChangeSearch();
  const nameOf = useHostName();
  const { by, below } = asked;
  const title =
    by === 'site' ? t('hosts.sites') : below === undefined ? t('hosts.top') : t('hosts.below', { host: nameOf(below) });
  return (
    <div className={classes.part}>
      <Panel title={title}>
        <Answer query={useHosts(asked)} height={420}>
          {({ hosts: { data, next } }) => (
            <>
              {data.length === 0 ? (
                <EmptyState>{t(asked.order === 'window' ? 'hosts.noneNow' : 'hosts.none')}</EmptyState>
              ) : (
                <HostsTable title={title} rows={data} asked={asked} compared={compared} />
              )}
              {by === 'site' && asked.sites !== 'more' && data.length >= HOSTS_PER_PAGE && (
                <Button size="xs" variant="default" mt="sm" onClick={() => changeSearch({ sites: 'more' })}>
                  {t('hosts.moreSites', { most: SITES_AT_MOST })}
                </Button>
              )}
              <KeysetPages after={asked.after} next={next} onPage={(after) => changeSearch({ after })} />
            </>
          )}
        </Answer>
      </Panel>
    </div>
  );
}
