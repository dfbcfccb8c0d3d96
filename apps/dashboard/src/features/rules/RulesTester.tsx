import { Button, Group, List, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ErrorState } from '../../ui/ErrorState.js';
import { useFormat } from '../../ui/use-format.js';
import type { LinkKey } from '../links/links.js';
import { toInstant } from '../links/link-form.js';
import { AGENTS, type TriedRules, useTryRules } from './rules.js';

const NAMES = Object.keys(AGENTS) as (keyof typeof AGENTS)[];
const TEXTS = ['acceptLanguage', 'country', 'city', 'query', 'address'] as const;
const EXAMPLES = {
  acceptLanguage: 'de-CH',
  country: 'DE',
  city: 'Berlin',
  query: 'utm_source=mail',
  address: '192.0.2.7',
};

/** Who would go where: a visitor is described, and the api says what gateways would do. */
export function RulesTester({ link }: { link: LinkKey }) {
  const { t } = useTranslation();
  const attempt = useTryRules(link);
  const [form, setForm] = useState({ agent: NAMES[0]!, date: '', ...emptied() });
  const change = (changed: Partial<typeof form>) => setForm((now) => ({ ...now, ...changed }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { agent, date, address, ...texts } = form;
    attempt.mutate({ ...texts, userAgent: AGENTS[agent], address: address.trim() || null, date: toInstant(date) });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="xs">
        <NativeSelect
          size="xs"
          label={t('rules.tester.agent')}
          value={form.agent}
          onChange={({ currentTarget }) => change({ agent: currentTarget.value as keyof typeof AGENTS })}
          data={NAMES}
        />
        {TEXTS.map((name) => (
          <TextInput
            key={name}
            size="xs"
            w={120}
            label={t(`rules.tester.${name}`)}
            placeholder={EXAMPLES[name]}
            value={form[name]}
            onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
          />
        ))}
        <TextInput
          size="xs"
          type="datetime-local"
          label={t('rules.tester.date')}
          value={form.date}
          onChange={({ currentTarget }) => change({ date: currentTarget.value })}
        />
        <Button size="xs" type="submit" variant="default" loading={attempt.isPending}>
          {t('rules.tester.submit')}
        </Button>
      </Group>
      <Outcome attempt={attempt} />
    </form>
  );
}

const emptied = () => ({ acceptLanguage: '', country: '', city: '', query: '', address: '' });

function Outcome({ attempt: { isError, error, data } }: { attempt: ReturnType<typeof useTryRules> }) {
  const { t } = useTranslation();
  return (
    <>
      <Text mt={4} size="xs" c="dimmed">
        {t('rules.tester.note')}
      </Text>
      <Stack mt="xs" gap={0} role="status">
        {isError && <ErrorState error={error} />}
        {data !== undefined && <Tried tried={data} />}
      </Stack>
    </>
  );
}

function Tried({ tried: { rule, targets } }: { tried: TriedRules }) {
  const { t } = useTranslation();
  const { share } = useFormat();
  const all = targets.reduce((sum, { weight }) => sum + weight, 0);
  return (
    <>
      <Text size="sm">{rule === null ? t('rules.tester.noRule') : t('rules.tester.rule', { number: rule })}</Text>
      <List size="sm">
        {targets.map(({ longUrl, weight }, index) => (
          <List.Item key={index} className="foreign">
            {targets.length > 1 && `${share(weight, all)} `}→ {longUrl}
          </List.Item>
        ))}
      </List>
    </>
  );
}
