import { Anchor, Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { When } from '../../components/when.tsx';
import classes from '../events/events.module.css';
import { acceptedQuery, type HookDetails, hooksKey } from './queries.ts';
import { refusalOf, runStateWords } from './words.ts';

interface Props {
  readonly name: string;
  readonly calls: HookDetails['calls'];
}

/** What a hook has accepted, which are runs, and what it has refused. */
export function LastCalls({ name, calls }: Props) {
  return (
    <Stack gap="md" component="section" aria-label="Last calls">
      <Group justify="space-between">
        <Title order={2}>Last calls</Title>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => void queryClient.invalidateQueries({ queryKey: [hooksKey] })}
        >
          Refresh
        </Button>
      </Group>
      <Accepted name={name} />
      <Refused calls={calls} />
      <Unsigned calls={calls} />
    </Stack>
  );
}

function Accepted({ name }: { readonly name: string }) {
  const { org, env } = usePlace();
  const runs = useQuery(acceptedQuery(env, name));
  return (
    <Part title="Accepted">
      <Loaded query={runs}>
        {({ items, nexttoken }) =>
          items.length === 0 ? (
            <Quiet>
              {nexttoken === null
                ? 'None yet: no message has begun a run.'
                : 'None among the latest runs of the environment.'}
            </Quiet>
          ) : (
            <Rows
              label="Accepted messages"
              heads={['When', 'Message', 'Run', 'State']}
              rows={items.map(({ id, started_at, trigger, state, error }) => ({
                key: id,
                cells: [
                  <When key="at" at={started_at} />,
                  trigger.id,
                  <CopyId key="run" value={id} what="run id" />,
                  <Anchor key="state" component={Link} to={`/o/${org}/${env}/runs/${id}`} size="sm" underline="always">
                    {`${runStateWords[state]}${error === undefined ? '' : `: ${error.code}`}`}
                  </Anchor>,
                ],
              }))}
            />
          )
        }
      </Loaded>
    </Part>
  );
}

/** Messages whose sender holds the secret. */
function Refused({ calls: { refused, since } }: Pick<Props, 'calls'>) {
  return (
    <Part title="Signed, and refused">
      {refused.length === 0 ? (
        <Quiet>
          None since the node was started, <When at={since} />.
        </Quiet>
      ) : (
        <Rows
          label="Signed messages that were refused"
          heads={['When', 'Message', 'Why']}
          rows={refused.map(({ at, id, code, message }) => ({
            key: `${at} ${id} ${code}`,
            cells: [
              <When key="at" at={at} />,
              id,
              <>
                <Sentence text={message ?? 'Only org admins see this.'} />
                <Text size="xs" c="dimmed">
                  {code}
                </Text>
              </>,
            ],
          }))}
        />
      )}
    </Part>
  );
}

/** Messages of anyone, of which nothing is kept but the reason. */
function Unsigned({ calls: { unsigned, since } }: Pick<Props, 'calls'>) {
  return (
    <Part title="Refused as not signed">
      {unsigned.length === 0 ? (
        <Quiet>
          None since the node was started, <When at={since} />.
        </Quiet>
      ) : (
        <>
          <Rows
            label="Messages that were refused as not signed"
            heads={['Why', 'How often', 'First', 'Last']}
            rows={unsigned.map(({ reason, count, first_at, last_at }) => ({
              key: reason,
              cells: [
                refusalOf(reason),
                String(count),
                <When key="first" at={first_at} />,
                <When key="last" at={last_at} />,
              ],
            }))}
          />
          <Quiet>
            Anyone may call the address, so nothing of these messages is kept. Each node counts for itself, this one
            since <When at={since} />.
          </Quiet>
        </>
      )}
    </Part>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <Title order={3} size="h5" mb={4}>
        {title}
      </Title>
      {children}
    </div>
  );
}

function Quiet({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}

interface RowsProps {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
}

function Rows({ label, heads, rows }: RowsProps) {
  return (
    <Paper withBorder className={classes.scroll}>
      <Table aria-label={label} miw={560}>
        <Table.Thead>
          <Table.Tr>
            {heads.map((head) => (
              <Table.Th key={head}>{head}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, cells }) => (
            <Table.Tr key={key}>
              {cells.map((cell, index) => (
                <Table.Td key={heads[index]} className={classes.wrap}>
                  {cell}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
