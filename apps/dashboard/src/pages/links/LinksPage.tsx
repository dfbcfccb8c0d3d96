import { Button, Group, Pagination, Paper, TextInput } from '@mantine/core';
import type { components } from '@hopcount/client';
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { CreateLinkForm } from '../../features/links/CreateLinkForm.js';
import { LinksTable } from '../../features/links/LinksTable.js';
import { type LinksAsked, useLinks } from '../../features/links/links.js';
import { mayWrite } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';
import { Answer } from '../../ui/Answer.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { Icon } from '../../ui/icons.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { useFormat } from '../../ui/use-format.js';
import type { LinksSearch } from './route.js';

const TYPED_MS = 250;
const DEFAULT_ORDER = 'dateCreated-DESC';

/** @public */
export function LinksPage() {
  const { t } = useTranslation();
  const { search = '', tag, order = DEFAULT_ORDER, page = 1 } = useSearch({ from: '/signed-in/links' });
  const navigate = useNavigate({ from: '/links' });
  const change = (changed: LinksSearch & { tag?: string | undefined }, replace = false) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...changed }), replace });
  return (
    <>
      <PageHeader title={t('common.navigation.links')} />
      {mayWrite(useUser()) && <CreateLinkForm />}
      <Group mb="sm" gap="xs">
        <SearchField value={search} onChange={(text) => change({ search: text }, true)} />
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
      <LinksList asked={{ page, search, tag, order }} onChange={change} />
    </>
  );
}

interface ListProps {
  asked: LinksAsked;
  onChange: (change: LinksSearch) => void;
}

function LinksList({ asked, onChange }: ListProps) {
  const { t } = useTranslation();
  const query = useLinks(asked);
  const { order, search, tag } = asked;
  return (
    <Paper withBorder>
      <Answer query={query} height={480}>
        {({ shortUrls: { data, pagination } }) =>
          data.length === 0 ? (
            <EmptyState>{t(search === '' && tag === undefined ? 'links.none' : 'links.noneFound')}</EmptyState>
          ) : (
            <>
              <LinksTable
                links={data}
                order={order}
                onOrder={(field) => onChange({ order: field })}
                onTag={(name) => onChange({ tag: name })}
              />
              <Pages pagination={pagination} onPage={(page) => onChange({ page })} />
            </>
          )
        }
      </Answer>
    </Paper>
  );
}

interface PagesProps {
  pagination: components['schemas']['Pagination'];
  onPage: (page: number) => void;
}

function Pages({ pagination: { currentPage, pagesCount, totalItems, totalItemsIsLowerBound }, onPage }: PagesProps) {
  const { t } = useTranslation();
  const { count } = useFormat();
  return (
    <Group justify="space-between" p="sm" c="dimmed" fz="sm">
      <span>
        {t('links.count', { count: totalItems, number: count(totalItems) })}
        {totalItemsIsLowerBound === true && '+'}
      </span>
      {pagesCount > 1 && (
        <Pagination
          size="sm"
          total={pagesCount}
          value={currentPage}
          onChange={onPage}
          getControlProps={(control) => ({ 'aria-label': t(`common.page.${control}`) })}
        />
      )}
    </Group>
  );
}

/** What is typed is asked for once somebody pauses. */
function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  const settle = useDebouncedCallback(onChange, TYPED_MS);
  return (
    <TextInput
      type="search"
      size="sm"
      aria-label={t('links.search')}
      placeholder={t('links.search')}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        settle(currentTarget.value.trim());
      }}
    />
  );
}
