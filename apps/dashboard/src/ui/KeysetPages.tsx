import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface Props {
  /** Behind which row this page begins; undefined: it is the first one. */
  after: string | undefined;
  /** Behind which the next one begins; null: this is the last one. */
  next: string | null;
  /** What the buttons say, where it is not "first" and "next". */
  labels?: { first: string; next: string };
  onPage: (after: string | undefined) => void;
}

/** Under a list whose pages begin behind a row of the page before: there are no numbers of pages. */
export function KeysetPages({ after, next, labels, onPage }: Props) {
  const { t } = useTranslation();
  return (
    <Group justify="flex-end" mt="sm" gap="xs">
      {after !== undefined && (
        <Button size="xs" variant="default" onClick={() => onPage(undefined)}>
          {labels?.first ?? t('common.page.first')}
        </Button>
      )}
      {next !== null && (
        <Button size="xs" variant="default" onClick={() => onPage(next)}>
          {labels?.next ?? t('common.page.next')}
        </Button>
      )}
    </Group>
  );
}
