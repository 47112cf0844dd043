import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

interface Props {
  readonly title: string;
  /** What it is for, in a sentence or two. */
  readonly children: ReactNode;
  /** The next step. */
  readonly action?: ReactNode;
}

/** Shown if there is nothing yet. */
export function EmptyState({ title, children, action }: Props) {
  return (
    <Stack className={classes.empty} align="center" gap="xs">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw="34rem" ta="center">
        {children}
      </Text>
      {action}
    </Stack>
  );
}
