import { Modal, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { ErrorState } from './ErrorState.js';
import { FormButtons } from './FormButtons.js';
import { useFocusBack } from './use-focus-back.js';

interface Props {
  title: string;
  /** What the button says that does it. */
  submit: string;
  /** What it cannot be taken back from. */
  isDangerous?: boolean;
  /** Until what is needed for it is there. */
  isDisabled?: boolean;
  state: { isPending: boolean; error: unknown };
  onSubmit: (form: FormData) => void;
  onClose: () => void;
  children: ReactNode;
}

/** Asks for what a change needs, or whether it is really wanted; stays open with the reason where the api refuses it. */
export function FormModal(props: Props) {
  useFocusBack();
  const { title, submit, isDangerous = false, isDisabled = false, state, onSubmit, onClose, children } = props;
  const { t } = useTranslation();
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // React hands it on to a form around the dialog, which is somewhere else on the page.
    event.stopPropagation();
    onSubmit(new FormData(event.currentTarget));
  };
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('common.close') }}>
      <form onSubmit={send}>
        <Stack>
          {children}
          {state.error !== null && <ErrorState error={state.error} />}
          <FormButtons {...{ submit, isDangerous, isDisabled }} isPending={state.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

/** What was typed into a field, without the spaces around it. */
export function fieldOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
