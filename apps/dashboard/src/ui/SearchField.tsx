import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

import { sentAfter, type SentTexts } from './sent-texts.js';

const TYPED_MS = 250;

interface Props {
  label: string;
  /** What the address says. */
  value: string;
  onChange: (text: string) => void;
}

/** What is typed is asked for once somebody pauses; what the address says otherwise (back, a saved view) is shown. */
export function SearchField({ label, value, onChange }: Props) {
  const [text, setText] = useState(value);
  const sent = useRef<SentTexts>([]);
  const shown = useRef(value);
  const settle = useDebouncedCallback((typed: string) => {
    if (sent.current.length === 0 && typed === shown.current) return;
    sent.current = [...sent.current, typed];
    onChange(typed);
  }, TYPED_MS);
  useEffect(() => {
    if (value === shown.current) return;
    shown.current = value;
    const left = sentAfter(sent.current, value);
    sent.current = left ?? [];
    if (left !== undefined) return;
    settle.cancel();
    setText(value);
  }, [value, settle]);
  return (
    <TextInput
      type="search"
      size="sm"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        settle(currentTarget.value.trim());
      }}
    />
  );
}
