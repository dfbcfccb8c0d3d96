import { NativeSelect, NumberInput, Text, TextInput } from '@mantine/core';
import { HopcountProblem } from '@hopcount/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useDomains } from '../../features/administration/domains.js';
import { useGroups } from '../../features/administration/groups.js';
import { mayAdminister, reachesEverything } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';
import {
  DEFAULTS,
  HOST_KINDS,
  isCompared,
  type Kind,
  KINDS,
  type Subject,
  SUBJECTS,
  SUBJECTS_OF_GROUPS,
  WINDOWS,
} from './alert-form.js';
import type { Alert, Channel } from './alerts.js';
import { useAlertWords } from './use-alert-words.js';

/** Why the api does not take what is in a field. */
type Refused = (field: string) => string | undefined;

export function refusedBy(error: unknown): Refused {
  const reasons = error instanceof HopcountProblem ? (error.problem?.reasons ?? []) : [];
  return (field) => reasons.find((one) => one.field === field)?.reason;
}

interface Props {
  refused: Refused;
  /** That can be chosen here. */
  channels: readonly Channel[];
  /** Whose fields these are; absent: of a new one, of which more can be chosen. */
  alert?: Alert;
}

export function AlertFields({ refused, channels, alert }: Props) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<Kind>(alert?.kind ?? DEFAULTS.kind);
  return (
    <>
      <TextInput
        name="name"
        label={t('alerts.name')}
        description={t('alerts.nameHint')}
        defaultValue={alert?.name}
        error={refused('name')}
        maxLength={100}
        required
        data-autofocus
      />
      {alert === undefined ? (
        <>
          <WatchedFields refused={refused} />
          <Choice
            name="kind"
            label={t('alerts.condition')}
            value={kind}
            values={KINDS}
            onChange={setKind}
            textOf={(one) => t(`alerts.kind.${one}`)}
          />
        </>
      ) : (
        <Fixed alert={alert} />
      )}
      <NumberFields kind={kind} refused={refused} {...(alert !== undefined && { alert })} />
      <ReceiverFields refused={refused} channels={channels} {...(alert !== undefined && { alert })} />
    </>
  );
}

/** What cannot be changed any more. */
function Fixed({ alert }: { alert: Alert }) {
  const { watched } = useAlertWords();
  const { t } = useTranslation();
  return (
    <Text size="sm" className="foreign">
      {watched(alert)}: {t(`alerts.kind.${alert.kind}`)}
    </Text>
  );
}

function WatchedFields({ refused }: { refused: Refused }) {
  const { t } = useTranslation();
  const subjects: readonly Subject[] = reachesEverything(useUser()) ? SUBJECTS : SUBJECTS_OF_GROUPS;
  const [subject, setSubject] = useState<Subject>(subjects[0] ?? 'link');
  return (
    <>
      <Choice
        name="subject"
        label={t('alerts.watch')}
        value={subject}
        values={subjects}
        onChange={setSubject}
        textOf={(one) => t(`alerts.subject.${one}`)}
      />
      {subject === 'group' && <GroupField />}
      {subject === 'domain' && <DomainField />}
      {(subject === 'link' || subject === 'tag' || subject === 'host') && (
        <TextInput
          key={subject}
          name="value"
          label={t(`alerts.value.${subject}`)}
          description={subject === 'tag' ? undefined : t(`alerts.valueHint.${subject}`)}
          error={refused(subject) ?? (subject === 'link' ? refused('shortCode') : undefined)}
          required
        />
      )}
      {subject === 'host' && (
        <NativeSelect
          name="hostKind"
          label={t('alerts.hostKind')}
          data={HOST_KINDS.map((value) => ({ value, label: t(`alerts.hostKinds.${value}`) }))}
        />
      )}
    </>
  );
}

function GroupField() {
  const { t } = useTranslation();
  const groups = useGroups().data?.groups.data ?? [];
  const data = groups.map(({ groupId, name }) => ({ value: groupId, label: name }));
  return <NativeSelect name="value" label={t('alerts.value.group')} data={data} required />;
}

function DomainField() {
  const { t } = useTranslation();
  const domains = useDomains().data?.domains.data ?? [];
  return (
    <NativeSelect name="value" label={t('alerts.value.domain')} data={domains.map(({ domain }) => domain)} required />
  );
}

function NumberFields({ kind, refused, alert }: { kind: Kind; refused: Refused; alert?: Alert }) {
  const { t } = useTranslation();
  const { window } = useAlertWords();
  const minutes = alert?.windowMinutes ?? DEFAULTS.windowMinutes;
  const windows = [...new Set([...WINDOWS, minutes])].sort((a, b) => a - b);
  return (
    <>
      {isCompared(kind) && (
        <NumberInput
          name="factor"
          label={t('alerts.factor')}
          description={t(`alerts.factorHint.${kind === 'drop' ? 'drop' : 'rise'}`)}
          defaultValue={alert?.factor ?? DEFAULTS.factor}
          error={refused('factor')}
          min={1.1}
          max={1_000}
          decimalScale={2}
          hideControls
          required
        />
      )}
      <NumberInput
        name="threshold"
        label={t('alerts.threshold')}
        description={kind === 'above' ? undefined : t(`alerts.thresholdHint.${kind}`)}
        defaultValue={alert?.threshold ?? DEFAULTS.threshold}
        error={refused('threshold')}
        min={1}
        allowDecimal={false}
        hideControls
        required
      />
      <NativeSelect
        name="windowMinutes"
        label={t('alerts.window')}
        defaultValue={String(minutes)}
        error={refused('windowMinutes')}
        data={windows.map((value) => ({ value: String(value), label: window(value) }))}
      />
    </>
  );
}

function ReceiverFields({ refused, channels, alert }: Props) {
  const { t } = useTranslation();
  const user = useUser();
  // Mail of an alert goes to its creator, whoever edits it.
  const own = alert === undefined ? user.email : (alert.allowedEmail ?? undefined);
  const isFree = alert === undefined ? mayAdminister(user) : alert.allowedEmail === null;
  const [chosen, choose] = useState<Channel>(channels.includes('email') ? 'email' : 'webhook');
  const channel = alert?.channel ?? chosen;
  return (
    <>
      {alert === undefined && (
        <Choice
          name="channel"
          label={t('alerts.channel')}
          {...(!channels.includes('email') && { description: t('alerts.noEmail') })}
          value={chosen}
          values={[...channels].reverse()}
          onChange={choose}
          textOf={(one) => t(`alerts.channels.${one}`)}
        />
      )}
      {channel === 'email' ? (
        <TextInput
          name="email"
          type="email"
          label={t('alerts.email')}
          description={t(isFree ? 'alerts.emailAny' : own === user.email ? 'alerts.emailOwn' : 'alerts.emailOf')}
          defaultValue={isFree ? (alert?.email ?? own) : own}
          error={refused('email')}
          readOnly={!isFree}
          variant={isFree ? 'default' : 'filled'}
          maxLength={254}
          required={isFree}
        />
      ) : (
        <TextInput
          key={channel}
          name="url"
          type="url"
          label={t('alerts.url')}
          description={t(`alerts.urlHint.${channel}`)}
          defaultValue={alert?.url ?? undefined}
          error={refused('url')}
          required
        />
      )}
    </>
  );
}

interface ChoiceProps<Value extends string> {
  name: string;
  label: string;
  description?: string;
  value: Value;
  values: readonly Value[];
  onChange: (value: Value) => void;
  textOf: (value: Value) => string;
}

/** Of a few known values, on which the fields below it depend. */
function Choice<Value extends string>({ values, value, onChange, textOf, ...field }: ChoiceProps<Value>) {
  return (
    <NativeSelect
      {...field}
      value={value}
      onChange={({ currentTarget }) => onChange(values.find((one) => one === currentTarget.value) ?? value)}
      data={values.map((one) => ({ value: one, label: textOf(one) }))}
    />
  );
}
