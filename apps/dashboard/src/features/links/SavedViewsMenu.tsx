import { Alert, Menu, Text, TextInput } from '@mantine/core';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { cloneElement, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { parseSearch } from '../../app/search.js';
import { fieldOf, FormModal } from '../../ui/FormModal.js';
import { type DropdownProps, useOpened } from '../../ui/lazy-dropdown.js';
import { readViews, type SavedView, withoutPage, withView, writeViews } from './saved-views.js';

/** @public */
export function SavedViewsMenu({ button: closed }: DropdownProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { isOpen, setOpen, button } = useOpened();
  const [views, setViews] = useState(() => readViews(localStorage));
  const [isNaming, setNaming] = useState(false);
  const query = useRouterState({ select: ({ location }) => withoutPage(location.searchStr) });
  const open = (view: SavedView) => void navigate({ to: '/links', search: () => parseSearch(view.query) });
  const keep = (changed: SavedView[]) => {
    setViews(changed);
    return writeViews(localStorage, changed);
  };
  const isShown = (view: SavedView) => view.query === query;
  return (
    <>
      <Menu position="bottom-end" opened={isOpen} onChange={setOpen}>
        <Menu.Target>{cloneElement(closed, { ref: button } as object)}</Menu.Target>
        <Menu.Dropdown>
          {views.map((view) => (
            <Menu.Item key={view.name} onClick={() => open(view)} fw={isShown(view) ? 600 : undefined}>
              <bdi>{view.name}</bdi>
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item onClick={() => setNaming(true)}>{t('links.views.save')}</Menu.Item>
          {views.filter(isShown).map(({ name }) => (
            <Menu.Item key={name} color="red" onClick={() => keep(views.filter((view) => view.name !== name))}>
              {t('links.views.remove', { name })}
            </Menu.Item>
          ))}
          <Menu.Label>{t('links.views.where')}</Menu.Label>
        </Menu.Dropdown>
      </Menu>
      {isNaming && (
        <NameModal onName={(name) => keep(withView(views, { name, query }))} onClose={() => setNaming(false)} />
      )}
    </>
  );
}

function NameModal({ onName, onClose }: { onName: (name: string) => boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const [isRefused, setRefused] = useState(false);
  const submit = (form: FormData) => {
    if (onName(fieldOf(form, 'name'))) onClose();
    else setRefused(true);
  };
  return (
    <FormModal
      title={t('links.views.save')}
      submit={t('common.save')}
      state={{ isPending: false, error: null }}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput name="name" label={t('links.views.name')} required maxLength={80} data-autofocus />
      <Text size="sm" c="dimmed">
        {t('links.views.where')}
      </Text>
      {isRefused && <Alert color="red">{t('links.views.refused')}</Alert>}
    </FormModal>
  );
}
