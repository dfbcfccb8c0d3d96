import { Button, Group } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { CreateLinkForm } from '../../features/links/CreateLinkForm.js';
import { SavedViews } from '../../features/links/SavedViews.js';
import { mayWrite } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { SearchField } from '../../ui/SearchField.js';
import { ExportMenu } from './ExportMenu.js';
import { LinkChips } from './LinkChips.js';
import { LinkFilters, type LinksChange } from './LinkFilters.js';
import { LinksList } from './LinksList.js';
import { PAGE_SIZES } from './route.js';

const DEFAULT_ORDER = 'dateCreated-DESC';

/** @public */
export function LinksPage() {
  const { t } = useTranslation();
  const filters = useSearch({ from: '/signed-in/links' });
  const { search = '', tag, group, state, order = DEFAULT_ORDER, page = 1, size = PAGE_SIZES[0] } = filters;
  const navigate = useNavigate({ from: '/links' });
  const change = (changed: LinksChange, replace = false) =>
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
        <LinkFilters filters={filters} onChange={change} />
      </Group>
      <LinkChips filters={filters} onChange={change} />
      <LinksList asked={{ page, size, search, tag, group, state, order }} onChange={change} />
    </>
  );
}
