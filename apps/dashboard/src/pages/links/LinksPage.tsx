import { Button, Group } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { CreateLinkForm } from '../../features/links/CreateLinkForm.js';
import { SavedViews } from '../../features/links/SavedViews.js';
import { mayWrite } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';
import { Icon } from '../../ui/icons.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { SearchField } from '../../ui/SearchField.js';
import { ExportMenu } from './ExportMenu.js';
import { LinksList } from './LinksList.js';
import { type LinksSearch, PAGE_SIZES } from './route.js';

const DEFAULT_ORDER = 'dateCreated-DESC';

/** @public */
export function LinksPage() {
  const { t } = useTranslation();
  const {
    search = '',
    tag,
    order = DEFAULT_ORDER,
    page = 1,
    size = PAGE_SIZES[0],
  } = useSearch({ from: '/signed-in/links' });
  const navigate = useNavigate({ from: '/links' });
  const change = (changed: LinksSearch & { tag?: string | undefined }, replace = false) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...changed }), replace });
  return (
    <>
      <PageHeader title={t('common.navigation.links')}>
        <ExportMenu />
        <Button variant="default" component={Link} to="/recycle-bin">
          {t('recycleBin.title')}
        </Button>
      </PageHeader>
      {mayWrite(useUser()) && <CreateLinkForm />}
      <Group mb="sm" gap="xs">
        <SearchField label={t('links.search')} value={search} onChange={(text) => change({ search: text }, true)} />
        <SavedViews />
        {tag !== undefined && (
          <Button
            size="compact-sm"
            radius="xl"
            variant="light"
            rightSection={<Icon name="close" size={14} />}
            onClick={() => change({ tag: undefined })}
          >
            {t('links.tag')} = {tag}
          </Button>
        )}
      </Group>
      <LinksList asked={{ page, size, search, tag, order }} onChange={change} />
    </>
  );
}
