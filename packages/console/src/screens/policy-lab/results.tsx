import { Anchor, Badge, Group, List, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { Sentence } from '../../components/sentence.tsx';
import { counted } from '../../components/words/counted.ts';
import classes from '../policies/policies.module.css';
import { Basis, NothingRecorded } from './basis.tsx';
import type { Replayed, ReplayedGroup } from './queries.ts';

interface Props {
  readonly replayed: Replayed;
  readonly workspace: string;
  /** The policy that the draft takes the place of; undefined for a new one. */
  readonly replaced: string | undefined;
  /** Shows a statement of the draft by its place, from 1. */
  readonly onStatement: (place: number) => void;
}

/** What a draft would change of the recorded calls, in three groups. */
export function Results({ replayed, ...shown }: Props) {
  const { newly_denied, newly_allowed, unchanged, undecidable, changed_since } = replayed;
  if (replayed.decisions === 0) return <NothingRecorded />;
  return (
    <Stack gap="lg">
      <Basis {...replayed} />
      <Changed title="Would be denied" changed={newly_denied} color="red" {...shown}>
        No recorded call that is allowed now would be denied.
      </Changed>
      <Changed title="Would be allowed" changed={newly_allowed} color="teal" {...shown}>
        No recorded call that is denied now would be allowed.
      </Changed>
      <Stack component="section" gap="xs" aria-label="Unchanged or undecidable">
        <Title order={2}>Unchanged or undecidable</Title>
        <Text size="sm">
          {counted(unchanged.stands_for, 'call')} would be decided as now.
          {undecidable.count > 0 && ` ${counted(undecidable.stands_for, 'call')} cannot be decided again:`}
        </Text>
        {undecidable.reasons.length > 0 && (
          <List size="sm" aria-label="Why calls cannot be decided again">
            {undecidable.reasons.map(({ reason, count }) => (
              <List.Item key={reason}>
                <Sentence text={reason} /> ({counted(count, 'recorded decision')})
              </List.Item>
            ))}
          </List>
        )}
        {changed_since > 0 && (
          <Text size="sm">
            {counted(changed_since, 'recorded decision')} would be another one today already, without the draft: the
            policies have changed since.
          </Text>
        )}
      </Stack>
    </Stack>
  );
}

interface ChangedProps extends Omit<Props, 'replayed'> {
  readonly title: string;
  readonly changed: Replayed['newly_denied'];
  readonly color: string;
  /** Where there is none. */
  readonly children: string;
}

function Changed({ title, changed, color, children, ...shown }: ChangedProps) {
  const { count, stands_for, items } = changed;
  const isPart = items.reduce((sum, { calls }) => sum + calls, 0) < stands_for;
  return (
    <Stack component="section" gap="xs" aria-label={title}>
      <Group gap="xs">
        <Title order={2}>{title}</Title>
        <Badge variant="dot" color={count === 0 ? 'gray' : color} tt="none">
          {counted(stands_for, 'call')}
        </Badge>
      </Group>
      {items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {children}
        </Text>
      ) : (
        <Paper withBorder className={classes.scroll}>
          <Table aria-label={title} miw={760}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Who</Table.Th>
                <Table.Th>What</Table.Th>
                <Table.Th className={classes.number}>Calls</Table.Th>
                <Table.Th>Decided by</Table.Th>
                <Table.Th aria-label="More" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((group) => (
                <Table.Tr key={`${group.user_id} ${group.action} ${group.resource} ${group.recorded.last_at}`}>
                  <Row group={group} {...shown} />
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
      {isPart && (
        <Text size="sm" c="dimmed">
          These are the {items.length} kinds of calls that were made most often.
        </Text>
      )}
    </Stack>
  );
}

interface RowProps extends Omit<Props, 'replayed'> {
  readonly group: ReplayedGroup;
}

function Row({ group, ...shown }: RowProps) {
  const { org, env } = usePlace();
  const { user_id, email, action, resource, calls, reason, changed_since } = group;
  const search = { w: shown.workspace, member: user_id, action, resource };
  return (
    <>
      <Table.Td>{email === '' ? 'a user who is no member any more' : email}</Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere', minWidth: 160 }}>
        <Text size="sm" fw={500}>
          {action}
        </Text>
        <Text size="xs" c="dimmed">
          {resource}
        </Text>
      </Table.Td>
      <Table.Td className={classes.number}>{calls.toLocaleString('en')}</Table.Td>
      <Table.Td>
        <Text size="sm">
          <Sentence text={reason} />
        </Text>
        <Deciding statement={group.statement} {...shown} />
        {changed_since === true && (
          <Text size="xs" c="dimmed">
            When the call was made, it was decided otherwise than the policies of today decide it.
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Anchor
          component={Link}
          to={`/o/${org}/${env}/simulator`}
          search={search as never}
          size="sm"
          aria-label={`Simulate ${action} on ${resource}`}
        >
          Simulate
        </Anchor>
      </Table.Td>
    </>
  );
}

interface DecidingProps extends Omit<Props, 'replayed'> {
  readonly statement: ReplayedGroup['statement'];
}

/** Leads to the statement that decided. */
function Deciding({ statement, workspace, replaced, onStatement }: DecidingProps) {
  const { org, env } = usePlace();
  if (statement === undefined) return null;
  const { source, policy, policy_id, index, Sid } = statement;
  const place = `Statement ${Sid || index + 1}`;
  if (source === 'draft' || (replaced !== undefined && policy_id === replaced))
    return (
      <Anchor component="button" type="button" size="sm" onClick={() => onStatement(index + 1)}>
        {place} of the draft
      </Anchor>
    );
  if (policy_id === undefined) return null;
  return (
    <Anchor
      component={Link}
      to={`/o/${org}/${env}/policies/${policy_id}`}
      search={{ w: workspace, statement: index + 1 } as never}
      size="sm"
    >
      {place} of policy {policy}
    </Anchor>
  );
}
