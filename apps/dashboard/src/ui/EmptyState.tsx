import { Center, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function EmptyState({ children }: { children: ReactNode }) {
  return (
    <Center py="xl" px="md">
      <Text c="dimmed" size="sm" ta="center" component="div">
        {children}
      </Text>
    </Center>
  );
}
