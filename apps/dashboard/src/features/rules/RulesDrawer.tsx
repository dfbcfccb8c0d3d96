import { Button, Drawer, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { ErrorState } from '../../ui/ErrorState.js';
import { FormButtons } from '../../ui/FormButtons.js';
import type { LinkKey } from '../links/links.js';
import { emptyRule, moved, type RuleForm, without } from './rules-form.js';
import { type ReadRules, type Rules, type RulesEdit, useFreshRules, useSetRules } from './rules.js';
import { RuleFields } from './RuleFields.js';
import { SplitFields } from './SplitFields.js';
import { useFocusBack } from '../../ui/use-focus-back.js';

interface Props {
  link: LinkKey;
  onClose: () => void;
}

/** All rules and the split, replaced together; the first rule whose conditions all hold counts. @public */
export function RulesDrawer({ link, onClose }: Props) {
  useFocusBack();
  const { t } = useTranslation();
  const query = useFreshRules(link);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={t('rules.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Answer query={query} height={400}>
        {(read) => <RulesForm link={link} read={read} onDone={onClose} />}
      </Answer>
    </Drawer>
  );
}

function RulesForm({ link, read, onDone }: { link: LinkKey; read: ReadRules; onDone: () => void }) {
  const { t } = useTranslation();
  // As it was opened: what others change meanwhile is refused by the api, not overwritten.
  const [{ rules, etag }] = useState(read);
  const [form, setForm] = useState(() => toEdit(rules));
  const save = useSetRules(link);
  const change = (changed: Partial<RulesEdit>) => setForm((now) => ({ ...now, ...changed }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ body: form, etag }, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t('rules.order')}
        </Text>
        <RuleList list={form.redirectRules} onChange={(redirectRules) => change({ redirectRules })} />
        <SplitFields split={form.split} defaultLongUrl={rules.defaultLongUrl} onChange={(split) => change({ split })} />
        {save.isError && <ErrorState error={save.error} />}
        <FormButtons submit={t('common.save')} isPending={save.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}

function toEdit({ redirectRules, split }: Rules): RulesEdit {
  return {
    redirectRules: redirectRules.map(({ longUrl, conditions }) => ({
      longUrl,
      conditions: conditions as RuleForm['conditions'],
    })),
    split,
  };
}

function RuleList({ list, onChange }: { list: RuleForm[]; onChange: (list: RuleForm[]) => void }) {
  const { t } = useTranslation();
  return (
    <>
      {list.map((rule, index) => (
        <RuleFields
          key={index}
          number={index + 1}
          rule={rule}
          onChange={(changed) => onChange(list.map((one, at) => (at === index ? changed : one)))}
          onRemove={() => onChange(without(list, index))}
          onUp={index > 0 ? () => onChange(moved(list, index)) : undefined}
        />
      ))}
      <Button variant="default" onClick={() => onChange([...list, emptyRule()])}>
        {t('rules.add')}
      </Button>
    </>
  );
}
