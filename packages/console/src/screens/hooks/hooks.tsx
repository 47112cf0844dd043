import { Anchor, Badge, Button, Paper, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { appAddress } from '../../api/app.ts';
import { usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { When } from '../../components/when.tsx';
import classes from '../events/events.module.css';
import { hooksQuery, type ListedHook } from './queries.ts';
import { reasonWords, refusalOf, schemeWords } from './words.ts';

/** The hooks of the environment: addresses to which other systems send signed messages. */
export function Hooks() {
  const { org, env } = usePlace();
  const hooks = useQuery(hooksQuery(env));
  return (
    <Screen
      title="Hooks"
      intro="Addresses to which other systems send signed messages. Each message starts a logic block."
      actions={
        <Button variant="default" loading={hooks.isFetching} onClick={() => void hooks.refetch()}>
          Refresh
        </Button>
      }
    >
      <Loaded query={hooks}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState
              title="No hooks yet"
              action={
                <Anchor component={Link} to={`/o/${org}/${env}/logic-blocks`}>
                  Go to the logic blocks
                </Anchor>
              }
            >
              {env === 'test'
                ? 'A logic block gets a hook by the member hook of its content, with the names of the secrets that sign its messages.'
                : 'Give a logic block a hook in test. A deploy brings it here.'}
            </EmptyState>
          ) : (
            <HookTable items={items} />
          )
        }
      </Loaded>
    </Screen>
  );
}

function HookTable({ items }: { readonly items: readonly ListedHook[] }) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Hooks" miw={860}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Hook</Table.Th>
            <Table.Th>Address</Table.Th>
            <Table.Th>Workspace</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Last call</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((hook) => (
            <Table.Tr key={hook.name}>
              <Table.Td>
                <Anchor component={Link} to={`/o/${org}/${env}/hooks/${hook.name}`} fw={500} size="sm">
                  {hook.name}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {schemeWords[hook.signature]}
                </Text>
              </Table.Td>
              <Table.Td className={classes.wrap}>
                <CopyId value={addressOf(org, hook.url_path)} what={`address of ${hook.name}`} />
              </Table.Td>
              <Table.Td>{hook.tenant_code}</Table.Td>
              <Table.Td>
                <HookState hook={hook} />
              </Table.Td>
              <Table.Td>
                <LastCall hook={hook} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

/** Where messages are sent. Its path begins as the address of the app does. */
export function addressOf(org: string, path: string): string {
  return `${appAddress(org).slice(0, -`/app/${encodeURIComponent(org)}`.length)}${path}`;
}

export function HookState({ hook: { ready, reason } }: { readonly hook: Pick<ListedHook, 'ready' | 'reason'> }) {
  return (
    <>
      <Badge variant="dot" color={ready ? 'teal' : reason === 'paused' ? 'yellow' : 'red'} tt="none" miw="max-content">
        {ready ? 'takes messages' : reason === 'paused' ? 'paused' : 'not ready'}
      </Badge>
      {reason !== undefined && reason !== 'paused' && (
        <Text size="xs" c="dimmed">
          {reasonWords[reason]}
        </Text>
      )}
    </>
  );
}

function LastCall({ hook: { last_call: last } }: { readonly hook: ListedHook }) {
  if (last === undefined)
    return (
      <Text size="sm" c="dimmed">
        none of late
      </Text>
    );
  return (
    <>
      <Text size="sm">{last.accepted ? 'Accepted' : 'Refused'}</Text>
      <Text size="xs" c="dimmed">
        <When at={last.at} />
        {last.code === undefined ? '' : `: ${refusalOf(last.code)}`}
      </Text>
    </>
  );
}
