import { Alert, Button, Code, Group, Modal, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { copyText } from '../links/copy-text.js';
import { useFocusBack } from '../../ui/use-focus-back.js';

interface Props {
  title: string;
  secret: string;
  /** Why it has to be kept now. */
  hint: string;
  onClose: () => void;
}

/** What the api tells once: only the button closes this. */
export function SecretModal({ title, secret, hint, onClose }: Props) {
  useFocusBack();
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="orange" variant="light">
          {hint}
        </Alert>
        <Code block className="foreign" aria-label={title} tabIndex={0}>
          {secret}
        </Code>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => void copyText(secret).then(setCopied)}>
            {t(isCopied ? 'administration.copied' : 'administration.copy')}
          </Button>
          <Button onClick={onClose}>{t('administration.kept')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
