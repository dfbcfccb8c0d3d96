import { Anchor } from '@mantine/core';
import { answerOf } from '@hopcount/client';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { BASE_PATH } from '../../app/base-path.js';
import { HAS_PROVIDER } from '../../app/has-provider.js';
import { Answer } from '../../ui/Answer.js';
import { Panel } from '../../ui/Panel.js';
import classes from './server-panel.module.css';

/** How this server is set up, as far as the api tells it to whoever is signed in: its settings are of its environment. */
export function ServerPanel() {
  const { t } = useTranslation();
  const domains = useApi(['domains'], (signal) => answerOf(api.GET('/rest/v3/domains', { signal })));
  return (
    <Panel title={t('settings.server')}>
      <Answer query={domains} height={130}>
        {({ domains: { data, defaultRedirects } }) => (
          <dl className={classes.facts}>
            <Fact name={t('settings.version')}>
              <Anchor inherit href={`${BASE_PATH}/rest/docs`}>
                {t('settings.documentation')}
              </Anchor>
            </Fact>
            <Fact name={t('settings.signIn')}>
              {t(HAS_PROVIDER ? 'settings.signInBoth' : 'settings.signInPassword')}
            </Fact>
            <Fact name={t('settings.defaultDomain')}>{data.find(({ isDefault }) => isDefault)?.domain}</Fact>
            <Fact name={t('settings.baseRedirect')}>
              {defaultRedirects.baseUrlRedirect ?? t('settings.noRedirect')}
            </Fact>
            <Fact name={t('settings.notFoundRedirect')}>
              {defaultRedirects.regular404Redirect ?? t('settings.noRedirect')}
            </Fact>
          </dl>
        )}
      </Answer>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd className="foreign">{children}</dd>
    </div>
  );
}
