import { TagsInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useTags } from './links.js';
import { toTagNames } from './tag-names.js';

interface Props {
  value: string[];
  onChange: (tags: string[]) => void;
  /** Whether a dialog opens with it. */
  isFirst?: boolean;
}

/** New tags and known ones, as they are stored; the list of those goes away with each choice, as it lies on what is below. */
export function TagsField({ value, onChange, isFirst = false }: Props) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <TagsInput
      label={t('links.tags')}
      data={useTags().data?.tags.data ?? []}
      value={value}
      onChange={(tags) => {
        onChange(toTagNames(tags));
        setOpen(false);
      }}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      openOnFocus={false}
      data-autofocus={isFirst || undefined}
    />
  );
}
