import { Button, List, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { lazyPart } from '../../ui/lazy-part.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import type { ShortUrl } from '../links/links.js';
import { mayWriteTo } from '../session/roles.js';
import { useUser } from '../session/session.js';
import { type Rules, useRules } from './rules.js';
import { RulesTester } from './RulesTester.js';
import { useSentence } from './use-sentence.js';

const RulesDrawer = lazyPart(() => import('./RulesDrawer.js'), 'RulesDrawer');

/** Who goes where, as sentences; nothing where everybody goes the same way and nobody may change it. */
export function RulesPanel({ link }: { link: ShortUrl }) {
  const { t } = useTranslation();
  const query = useRules(link);
  const [isEditing, setEditing] = useState(false);
  const canWrite = mayWriteTo(useUser(), link.groupId);
  const edit = canWrite && (
    <Button size="compact-sm" variant="default" className="no-print" onClick={() => setEditing(true)}>
      {t('rules.edit')}
    </Button>
  );
  return (
    <div style={{ marginBottom: '1rem' }}>
      <Panel title={t('rules.title')} actions={edit}>
        <Answer query={query} height={48}>
          {({ rules }) => (
            <>
              <Sentences rules={rules} />
              {rules.redirectRules.length + rules.split.length > 0 && <Tester link={link} />}
            </>
          )}
        </Answer>
      </Panel>
      {isEditing && <RulesDrawer link={link} onClose={() => setEditing(false)} />}
    </div>
  );
}

/** Opened by who wants it. */
function Tester({ link }: { link: ShortUrl }) {
  const { t } = useTranslation();
  return (
    <details className="no-print" style={{ marginTop: '0.75rem' }}>
      <summary style={{ fontSize: 'var(--mantine-font-size-sm)' }}>{t('rules.tester.title')}</summary>
      <RulesTester link={link} />
    </details>
  );
}

function Sentences({ rules: { redirectRules, split, defaultLongUrl } }: { rules: Rules }) {
  const { t } = useTranslation();
  const { share } = useFormat();
  const sentence = useSentence();
  const all = split.reduce((sum, { weight }) => sum + weight, 0);
  const rest = redirectRules.length === 0 ? 'everybody' : 'others';
  return (
    <List size="sm" type="ordered" spacing={4}>
      {redirectRules.map(({ priority, conditions, longUrl }) => (
        <List.Item key={priority}>
          {t('rules.if', { conditions: sentence(conditions) })} <Target url={longUrl} />
        </List.Item>
      ))}
      {split.length === 0 ? (
        <List.Item>
          {t(`rules.${rest}`)} <Target url={defaultLongUrl} />
        </List.Item>
      ) : (
        split.map(({ longUrl, weight }, index) => (
          <List.Item key={index}>
            {t(`rules.${rest}Split`, { share: share(weight, all) })} <Target url={longUrl} />
          </List.Item>
        ))
      )}
    </List>
  );
}

function Target({ url }: { url: string }) {
  return (
    <Text span size="sm" fw={500} className="foreign">
      → {url}
    </Text>
  );
}
