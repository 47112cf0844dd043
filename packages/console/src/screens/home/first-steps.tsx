import type { Observability } from '@freehold/contract/management/usage';
import type { Read } from '@freehold/contract/schema';
import { Anchor, List, Text, ThemeIcon } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { CheckIcon, CircleIcon } from '../../components/icons.tsx';

export type Usage = Read<typeof Observability>;

interface Step {
  readonly name: string;
  readonly how: string;
  /** Where it is done, below the org of the console. */
  readonly to?: string;
  readonly isDone: boolean;
  /** Whether it is a step of production; all others are done in test. */
  readonly isOfProduction?: true;
}

/** What a new org does first. Each step is ticked by what the platform counts, never by hand. */
export function FirstSteps({ steps }: { readonly steps: readonly Step[] }) {
  const { org } = usePlace();
  return (
    <List spacing="sm" listStyleType="none" withPadding={false} center={false}>
      {steps.map(({ name, how, to, isDone }) => (
        <List.Item
          key={name}
          icon={
            <ThemeIcon size={20} radius="xl" variant={isDone ? 'filled' : 'default'} color="teal">
              {isDone ? <CheckIcon size={12} /> : <CircleIcon size={12} />}
            </ThemeIcon>
          }
        >
          <Text fw={500} size="sm">
            {isDone || to === undefined ? (
              name
            ) : (
              <Anchor component={Link} to={`/o/${org}/${to}`} size="sm" fw={500}>
                {name}
              </Anchor>
            )}
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
  /** The first ones, in test or in the environment that is shown. */
  readonly workspaces: readonly unknown[];
  readonly access: { readonly policy: boolean; readonly member: boolean };
  readonly hasProduction: boolean;
}

export function stepsOf({ usage: { caps, environments }, workspaces, access, hasProduction }: Facts): readonly Step[] {
  const hasRecords = environments.test.records.total > 0;
  return [
    {
      name: 'Define an entity',
      how: 'An entity is what your app stores, such as an order. Its API is served at once.',
      to: 'test/new-entity',
      isDone: caps.entities.test > 0,
    },
    {
      name: 'Make an app user',
      how: 'The first user of the app founds a workspace and is its admin. Make one here, or sign in to your app.',
      to: 'test/app-users',
      isDone: workspaces.length > 0 || hasRecords,
    },
    {
      name: 'Create a record',
      how: 'Records belong to a workspace. No other workspace sees them.',
      to: 'test/records',
      isDone: hasRecords,
    },
    {
      name: 'Write a policy',
      how: 'A policy says what its holders may do. New members get the policy that the settings of the org name: vieweracl, which reads everything, unless it was changed.',
      to: 'test/policies',
      isDone: access.policy,
    },
    {
      name: 'Add a member',
      how: 'A second user is made here, signs in to your app or is invited, and is in the workspace with the founder.',
      to: 'test/app-users',
      isDone: access.member,
    },
    {
      name: 'Provision production',
      how: 'Production has users, records and a client id of its own.',
      to: 'prod',
      isDone: hasProduction,
      isOfProduction: true,
    },
    {
      name: 'Deploy to production',
      how: 'A deploy takes the configuration from test to production, all at once.',
      to: 'test/deploy',
      isDone: (caps.entities.prod ?? 0) > 0,
      isOfProduction: true,
    },
  ];
}
