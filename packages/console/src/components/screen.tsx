import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

interface Props {
  readonly title: string;
  readonly intro?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every screen: the title, which is also that of the browser's tab, and what may be done. */
export function Screen({ title, intro, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Freehold`;
  }, [title]);
  return (
    <Stack gap="lg" component="section" aria-label={title}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1}>{title}</Title>
          {intro !== undefined && (
            <Text c="dimmed" mt={4}>
              {intro}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
