import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useErrorText } from '../../ui/ErrorState.js';
import { type ShortUrl, useDeleteLink, useRestoreLink } from './links.js';

interface Props {
  link: ShortUrl;
  undo: 'delete' | 'restore';
  onDone: () => void;
}

/** What just happened to a link, and a button that takes it back. */
export function LinkNotice({ link, undo, onDone }: Props) {
  const { t } = useTranslation();
  const textOf = useErrorText();
  const [remove, restore] = [useDeleteLink(), useRestoreLink()];
  const { mutate, isPending, error } = undo === 'delete' ? remove : { ...restore, mutate: restore.mutate };
  return (
    <>
      <Group gap="sm" justify="space-between">
        <Text size="sm" className="foreign">
          {link.shortUrl}
        </Text>
        <Button
          size="compact-sm"
          variant="light"
          loading={isPending}
          onClick={() => mutate(link, { onSuccess: onDone })}
        >
          {t('common.undo')}
        </Button>
      </Group>
      {error !== null && (
        <Text size="sm" c="red" role="alert">
          {textOf(error)}
        </Text>
      )}
    </>
  );
}
