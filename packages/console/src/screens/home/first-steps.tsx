import type { Observability } from '@freehold/contract/management/usage';
import type { Read } from '@freehold/contract/schema';
import { List, Text, ThemeIcon } from '@mantine/core';
import { CheckIcon, CircleIcon } from '../../components/icons.tsx';

export type Usage = Read<typeof Observability>;

interface Step {
  readonly name: string;
  readonly how: string;
  readonly isDone: boolean;
}

/** What a new org does first. Each step is ticked by what the platform counts, never by hand. */
export function FirstSteps({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <List spacing="sm" listStyleType="none" withPadding={false} center={false}>
      {steps.map(({ name, how, isDone }) => (
        <List.Item
          key={name}
          icon={
            <ThemeIcon size={20} radius="xl" variant={isDone ? 'filled' : 'default'} color="teal">
              {isDone ? <CheckIcon size={12} /> : <CircleIcon size={12} />}
            </ThemeIcon>
          }
        >
          <Text fw={500} size="sm">
            {name}
            <Text component="span" size="xs" c="dimmed" ml={6}>
              {isDone ? 'done' : 'to do'}
            </Text>
          </Text>
          {!isDone && (
            <Text size="sm" c="dimmed">
              {how}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  );
}

interface Facts {
  readonly usage: Pick<Usage, 'caps' | 'environments'>;
  /** In test, or in the environment that is shown. */
  readonly hasWorkspace: boolean;
  readonly hasProduction: boolean;
}

export function stepsOf({ usage: { caps, environments }, hasWorkspace, hasProduction }: Facts): readonly Step[] {
  return [
    {
      name: 'Define an entity',
      how: 'An entity is what your app stores, such as an order. Its API is served at once.',
      isDone: caps.entities.test > 0,
    },
    {
      name: 'Sign in to your app',
      how: 'The first user of the app founds a workspace and is its admin.',
      isDone: hasWorkspace || environments.test.records.total > 0,
    },
    {
      name: 'Create a record',
      how: 'Records belong to a workspace. No other workspace sees them.',
      isDone: environments.test.records.total > 0,
    },
    {
      name: 'Provision production',
      how: 'Production has users, records and a client id of its own.',
      isDone: hasProduction,
    },
    {
      name: 'Deploy to production',
      how: 'A deploy takes the configuration from test to production, all at once.',
      isDone: (caps.entities.prod ?? 0) > 0,
    },
  ];
}
