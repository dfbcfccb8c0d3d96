import { Text, UnstyledButton } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';

import { useChangeSearch } from '../../ui/use-change-search.js';
import { ancestorsOf } from './hosts.js';
import { useHostName } from './use-host-name.js';

/** From the top down to the name whose children are listed. */
export function HostPath({ below }: { below: string | undefined }) {
  const { t } = useTranslation();
  const changeSearch = useChangeSearch();
  const nameOf = useHostName();
  if (below === undefined) return null;
  const go = (name: string | undefined) => changeSearch({ below: name, after: undefined });
  return (
    <nav aria-label={t('hosts.path')}>
      <Text size="sm" mb="sm" component="div" className="foreign">
        <UnstyledButton fz="sm" td="underline" onClick={() => go(undefined)}>
          {t('hosts.all')}
        </UnstyledButton>
        {ancestorsOf(below).map((name) => (
          <Fragment key={name}>
            {' › '}
            {name === below ? (
              <strong aria-current="page">{nameOf(name)}</strong>
            ) : (
              <UnstyledButton fz="sm" td="underline" onClick={() => go(name)}>
                {nameOf(name)}
              </UnstyledButton>
            )}
          </Fragment>
        ))}
      </Text>
    </nav>
  );
}
