import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { useGroups } from '../administration/groups.js';
import type { ShortUrl } from './links.js';
import classes from './links.module.css';

/** What a link is put in order by; each leads to the others of its kind. */
export function LinkPlace({ link: { tags, groupId } }: { link: ShortUrl }) {
  const { t } = useTranslation();
  if (tags.length === 0 && groupId === null) return null;
  return (
    <ul className={classes.place}>
      {tags.map((tag) => (
        <li key={tag}>
          <Link to="/links" search={{ tag }} aria-label={t('links.withTag', { tag })}>
            <bdi>#{tag}</bdi>
          </Link>
        </li>
      ))}
      {groupId !== null && <InGroup groupId={groupId} />}
    </ul>
  );
}

function InGroup({ groupId }: { groupId: string }) {
  const { t } = useTranslation();
  const groups = useGroups().data?.groups.data ?? [];
  return (
    <li>
      {t('links.group')}:{' '}
      <Link to="/links" search={{ group: groupId }}>
        <bdi>{groups.find((group) => group.groupId === groupId)?.name ?? groupId}</bdi>
      </Link>
    </li>
  );
}
