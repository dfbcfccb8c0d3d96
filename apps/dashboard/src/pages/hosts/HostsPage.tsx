import { Group, NativeSelect } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { ViewBar } from '../../features/view/ViewBar.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { useChangeSearch } from '../../ui/use-change-search.js';
import { ComparePanel } from './ComparePanel.js';
import { HostPanel } from './HostPanel.js';
import { HostPath } from './HostPath.js';
import { HostsPanel } from './HostsPanel.js';
import { GROUPINGS, KINDS, ORDERS } from './hosts-search.js';
import { SurgesPanel } from './SurgesPanel.js';

/** The tree of host names, and what surges in it. @public */
export function HostsPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/signed-in/hosts' });
  const { kind = 'target', order = 'visits', by = 'label', below, after, hosts = [], surges, sites } = search;
  const changeSearch = useChangeSearch();
  return (
    <>
      <PageHeader title={t('hosts.title')} subtitle={t('hosts.about')} />
      <ViewBar />
      <Group gap="sm" align="flex-end" mb="sm" className="no-print">
        <NativeSelect
          size="xs"
          label={t('hosts.kind')}
          value={kind}
          onChange={({ currentTarget: { value } }) =>
            changeSearch({ kind: value, below: undefined, hosts: undefined, after: undefined })
          }
          data={KINDS.map((value) => ({ value, label: t(`hosts.kinds.${value}`) }))}
        />
        <NativeSelect
          size="xs"
          label={t('hosts.by')}
          value={by}
          onChange={({ currentTarget: { value } }) =>
            changeSearch({ by: value, below: undefined, order: undefined, after: undefined, sites: undefined })
          }
          data={GROUPINGS.map((value) => ({ value, label: t(`hosts.groupings.${value}`) }))}
        />
        {by === 'label' && (
          <NativeSelect
            size="xs"
            label={t('hosts.order')}
            value={order}
            onChange={({ currentTarget: { value } }) => changeSearch({ order: value, after: undefined })}
            data={ORDERS.map((value) => ({ value, label: t(`hosts.orders.${value}`) }))}
          />
        )}
      </Group>
      {hosts.length > 0 && <ComparePanel kind={kind} hosts={hosts} />}
      <HostPath below={below} />
      {below !== undefined && <HostPanel kind={kind} host={below} />}
      <HostsPanel asked={{ kind, by, below, order, after, sites }} compared={hosts} />
      <SurgesPanel after={surges} />
    </>
  );
}
