import { Group, Pagination } from '@mantine/core';
import type { components } from '@hopcount/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { parsePage } from './page-search.js';

/** The page that the address names. */
export function usePage(): number {
  return parsePage(useSearch({ strict: false })).page ?? 1;
}

/** Under a list that the api pages; nothing where one page has it all. */
export function Pages({ pagination: { pagesCount } }: { pagination: components['schemas']['Pagination'] }) {
  const { t } = useTranslation();
  const page = usePage();
  const navigate = useNavigate();
  if (pagesCount <= 1) return null;
  return (
    <Group justify="flex-end" p="sm">
      <Pagination
        size="sm"
        total={pagesCount}
        value={page}
        onChange={(next) =>
          void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, page: next }) })
        }
        getControlProps={(control) => ({ 'aria-label': t(`common.page.${control}`) })}
      />
    </Group>
  );
}
