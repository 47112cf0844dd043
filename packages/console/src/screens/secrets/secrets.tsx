import { Paper, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { When } from '../../components/when.tsx';
import classes from '../events/events.module.css';
import { orgUserNamesQuery, type Secret, type Secrets, secretsQuery } from './queries.ts';
import { RemoveSecret } from './remove-secret.tsx';
import { SetSecret } from './set-secret.tsx';
import { Uses } from './uses.tsx';

/** The secrets of the environment for other systems, by name. A value goes in and never comes out. */
export function SecretsScreen() {
  const { adminReason } = usePlace();
  const [isMaking, setIsMaking] = useState(false);
  const make = (
    <ReasonedButton reason={adminReason} onClick={() => setIsMaking(true)}>
      New secret
    </ReasonedButton>
  );
  return (
    <Screen
      title="Secrets"
      intro="Keys of other systems, which logic blocks send or check. No value is ever shown."
      actions={make}
    >
      {adminReason === undefined ? (
        <SecretList make={make} />
      ) : (
        <EmptyState title="Secrets are for admins of the org">
          An admin sees their names, sets and removes them. A logic block names a secret, and its value stays on the
          platform.
        </EmptyState>
      )}
      {isMaking && <SetSecret close={() => setIsMaking(false)} />}
    </Screen>
  );
}

function SecretList({ make }: { readonly make: ReactNode }) {
  const { env } = usePlace();
  const secrets = useQuery(secretsQuery(env));
  return (
    <Loaded query={secrets}>
      {(data) =>
        data.items.length === 0 ? (
          <EmptyState title="No secrets yet" action={make}>
            A secret is the key of another system: a step of a logic block sends it, or a hook checks messages with it.
            {env === 'prod' ? ' Production has values of its own.' : ''}
          </EmptyState>
        ) : (
          <SecretTable secrets={data} />
        )
      }
    </Loaded>
  );
}

interface Open {
  readonly secret: Secret;
  readonly dialog: 'set' | 'remove';
}

function SecretTable({ secrets: { items, partial } }: { readonly secrets: Secrets }) {
  const { data: names } = useQuery(orgUserNamesQuery);
  const [open, setOpen] = useState<Open>();
  return (
    <Stack>
      <Paper withBorder className={classes.scroll}>
        <Table highlightOnHover aria-label="Secrets" miw={860}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>May be sent to</Table.Th>
              <Table.Th>Used by</Table.Th>
              <Table.Th>Set</Table.Th>
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((secret) => (
              <Table.Tr key={secret.name}>
                <Table.Td>
                  <Text size="sm" fw={500}>
                    {secret.name}
                  </Text>
                </Table.Td>
                <Table.Td className={classes.wrap}>
                  {secret.hosts.length === 0 ? 'no host' : secret.hosts.join(', ')}
                </Table.Td>
                <Table.Td>
                  <Uses secret={secret} />
                </Table.Td>
                <Table.Td>
                  <When at={secret.updated_at} />
                  <Text size="xs" c="dimmed">
                    by {names?.get(secret.updated_by) ?? secret.updated_by}
                  </Text>
                </Table.Td>
                <Table.Td className={classes.actions}>
                  <ReasonedButton
                    reason={undefined}
                    variant="subtle"
                    size="compact-sm"
                    aria-label={`Replace ${secret.name}`}
                    onClick={() => setOpen({ secret, dialog: 'set' })}
                  >
                    Replace
                  </ReasonedButton>
                  <ReasonedButton
                    reason={undefined}
                    variant="subtle"
                    color="red"
                    size="compact-sm"
                    aria-label={`Remove ${secret.name}`}
                    onClick={() => setOpen({ secret, dialog: 'remove' })}
                  >
                    Remove
                  </ReasonedButton>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      {partial === true && (
        <Text size="sm" c="dimmed">
          Only the first 1,000 logic blocks were looked at for what names a secret.
        </Text>
      )}
      {open?.dialog === 'set' && <SetSecret secret={open.secret} close={() => setOpen(undefined)} />}
      {open?.dialog === 'remove' && <RemoveSecret secret={open.secret} close={() => setOpen(undefined)} />}
    </Stack>
  );
}
