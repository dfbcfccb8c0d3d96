import { Badge, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { type Column, DataTable, type Selection } from '../../ui/DataTable.js';
import { useFormat } from '../../ui/use-format.js';
import { useGroups } from '../administration/groups.js';
import { LinkBadge } from './LinkBadge.js';
import { LinkMenu } from './LinkMenu.js';
import type { ShortUrl } from './links.js';
import { LinkSparkline } from './LinkSparkline.js';
import classes from './links.module.css';

interface Props {
  links: readonly ShortUrl[];
  order: string;
  onOrder: (order: string) => void;
  onTag: (tag: string) => void;
  selection: Selection<ShortUrl> | undefined;
}

export function LinksTable({ links, order, onOrder, onTag, selection }: Props) {
  const { t } = useTranslation();
  const { count, instant } = useFormat();
  const columns: Column<ShortUrl>[] = [
    {
      key: 'link',
      title: t('links.shortUrl'),
      order: 'shortCode',
      isWide: true,
      cell: (link) => <LinkCell link={link} />,
    },
    { key: 'tags', title: t('links.tags'), isExtra: true, cell: ({ tags }) => <Tags tags={tags} onTag={onTag} /> },
    {
      key: 'group',
      title: t('links.group'),
      isExtra: true,
      cell: ({ groupId }) => groupId !== null && <GroupName groupId={groupId} />,
    },
    { key: 'state', title: t('links.state.title'), isExtra: true, cell: (link) => <LinkBadge link={link} /> },
    {
      key: 'visits',
      title: t('statistics.visits'),
      order: 'visits',
      isNumeric: true,
      cell: ({ visitsSummary }) => count(visitsSummary.total),
    },
    { key: 'curve', title: t('links.curve'), isExtra: true, cell: (link) => <LinkSparkline link={link} /> },
    {
      key: 'created',
      title: t('links.created'),
      order: 'dateCreated',
      isExtra: true,
      cell: ({ dateCreated }) => <span style={{ whiteSpace: 'nowrap' }}>{instant(dateCreated, 'date')}</span>,
    },
    { key: 'menu', title: '', cell: (link) => <LinkMenu link={link} /> },
  ];
  return (
    <DataTable
      label={t('common.navigation.links')}
      columns={columns}
      rows={links}
      keyOf={({ id }) => id}
      order={order}
      onOrder={onOrder}
      selection={selection}
    />
  );
}

function Tags({ tags, onTag }: { tags: readonly string[]; onTag: (tag: string) => void }) {
  return (
    <Group gap={4}>
      {tags.map((tag) => (
        <Badge key={tag} component="button" miw={0} variant="default" onClick={() => onTag(tag)}>
          {tag}
        </Badge>
      ))}
    </Group>
  );
}

function GroupName({ groupId }: { groupId: string }) {
  const groups = useGroups().data?.groups.data ?? [];
  return (
    <Text size="sm" className="foreign">
      {groups.find((group) => group.groupId === groupId)?.name ?? groupId}
    </Text>
  );
}

/** Where there is little room a short code stays in one piece. */
function BreakingAfterDomain({ text }: { text: string }) {
  const behind = text.indexOf('/') + 1;
  return (
    <>
      {text.slice(0, behind)}
      <wbr />
      {text.slice(behind)}
    </>
  );
}

/** What it is called and where it leads: text that others wrote. */
function LinkCell({ link: { shortCode, domain, shortUrl, title, longUrl } }: { link: ShortUrl }) {
  return (
    <>
      <Link
        to="/links/$code"
        params={{ code: shortCode }}
        search={domain === null ? {} : { domain }}
        className={classes.link}
      >
        <BreakingAfterDomain text={shortUrl.replace(/^https?:\/\//, '')} />
      </Link>
      {title !== null && (
        <Text size="sm" className="foreign" lineClamp={1}>
          {title}
        </Text>
      )}
      <Text size="xs" c="dimmed" className="foreign" lineClamp={1} title={longUrl}>
        {longUrl}
      </Text>
    </>
  );
}
