import { Button, Group } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { useChangeSearch } from '../../ui/use-change-search.js';
import { Attribution } from '../statistics/Attribution.js';
import type { toExplainQuestion } from './explained.js';
import { useExplained } from './queries.js';
import { VisitsList } from './VisitsList.js';

interface Props {
  asked: ReturnType<typeof toExplainQuestion>;
  /** Whether it says of which link each is. */
  hasLink: boolean;
}

/** Visits, newest first, a page at a time: the address says behind which one this page begins. */
export function VisitsPages({ asked, hasLink }: Props) {
  const { t } = useTranslation();
  const { explainBefore: before }: Record<string, unknown> = useSearch({ strict: false });
  const changeSearch = useChangeSearch();
  const query = useExplained(asked, typeof before === 'string' && before !== '' ? before : undefined);
  const go = (explainBefore: string | undefined) => changeSearch({ explainBefore });
  return (
    <section aria-label={t('evidence.list')}>
      <Answer query={query} height={400}>
        {({ visits, next, timeZone, attribution }) => (
          <>
            {visits.length === 0 ? (
              <EmptyState>{t('statistics.noVisits')}</EmptyState>
            ) : (
              <VisitsList visits={visits} timeZone={timeZone} hasLink={hasLink} />
            )}
            <Group justify="flex-end" mt="sm" gap="xs">
              {before !== undefined && (
                <Button size="xs" variant="default" onClick={() => go(undefined)}>
                  {t('evidence.newest')}
                </Button>
              )}
              {next !== null && (
                <Button size="xs" variant="default" onClick={() => go(next)}>
                  {t('evidence.older')}
                </Button>
              )}
            </Group>
            <Attribution line={attribution} />
          </>
        )}
      </Answer>
    </section>
  );
}
