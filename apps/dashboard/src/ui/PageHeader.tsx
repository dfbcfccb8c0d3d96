import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

interface Props {
  title: string;
  /** Under it; for what somebody else wrote as well. */
  subtitle?: ReactNode;
  /** Buttons at the right. */
  children?: ReactNode;
}

/** The heading of a page and the title of its tab. */
export function PageHeader({ title, subtitle, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Hopcount`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-end" mb="md" gap="sm">
      <div>
        <Title order={1} size="h2" className="foreign">
          {title}
        </Title>
        {subtitle !== undefined && (
          <Text component="div" c="dimmed" size="sm" className="foreign">
            {subtitle}
          </Text>
        )}
      </div>
      <Group gap="xs">{children}</Group>
    </Group>
  );
}
