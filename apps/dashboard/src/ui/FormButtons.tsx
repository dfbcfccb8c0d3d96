import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface Props {
  /** What the button says that does it. */
  submit: string;
  isPending: boolean;
  /** What it cannot be taken back from. */
  isDangerous?: boolean;
  isDisabled?: boolean;
  onCancel: () => void;
}

/** At the end of a form. */
export function FormButtons({ submit, isPending, isDangerous = false, isDisabled = false, onCancel }: Props) {
  const { t } = useTranslation();
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        {t('common.cancel')}
      </Button>
      <Button type="submit" loading={isPending} disabled={isDisabled} color={isDangerous ? 'red' : undefined}>
        {submit}
      </Button>
    </Group>
  );
}
