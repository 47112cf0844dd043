import { Accordion, Alert, Anchor, Badge, Button, Group, List, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { callWhole } from '../../../api/call.ts';
import { type Environment, usePlace } from '../../../api/session.ts';
import { CopyId } from '../../../components/copy-id.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { When } from '../../../components/when.tsx';
import { counted } from '../../../components/words/counted.ts';
import { download } from '../../record/save-file.ts';
import { isOver, type PersonJob } from './queries.ts';
import { countsOf, gainsOf, stateOf, titleOf } from './sentences.ts';

const colors = { queued: 'gray', running: 'blue', done: 'green', failed: 'red' } as const;

interface Props {
  readonly job: PersonJob;
  readonly env: Environment;
}

/** What a job has found and done, what it could not do, and what stays. */
export function JobReport({ job, env }: Props) {
  const { id, state, created_at, error } = job;
  return (
    <Paper withBorder p="md" component="article" aria-label={`${titleOf(job)}, ${state}`}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="xs">
            <Title order={3} size="h4">
              {titleOf(job)}
            </Title>
            <Badge color={colors[state]} variant="dot">
              {state}
            </Badge>
          </Group>
          <Text size="sm" c="dimmed" component="span">
            <When at={created_at} />
          </Text>
        </Group>
        <Text size="sm" role={isOver(job) ? undefined : 'status'}>
          {stateOf(job)}
        </Text>
        {error !== null && (
          <Alert color="red" title={error.message}>
            {error.code}
          </Alert>
        )}
        <FileOf job={job} env={env} />
        <Counts job={job} />
        <Gains job={job} env={env} />
        <Details job={job} />
        <CopyId value={id} what="id of the job" />
      </Stack>
    </Paper>
  );
}

function FileOf({ job: { id, kind, state, file }, env }: Props) {
  const read = useMutation({
    mutationFn: () => callWhole('readPersonFile', { params: { id }, query: { env }, headers: { Accept: '*/*' } }),
    onSuccess: ({ body }) => download(`person-${id}.jsonl`, new Blob([String(body)], { type: 'application/x-ndjson' })),
  });
  if (kind !== 'export' || state !== 'done') return null;
  if (file === null) return <Text size="sm">The file has expired, or was removed when the person was erased.</Text>;
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">
        {counted(file.lines, 'line')}, {counted(file.bytes, 'byte')}. The file expires <When at={file.expires_at} />.
        Each download is in the audit log.
      </Text>
      <Button variant="default" loading={read.isPending} onClick={() => read.mutate()}>
        Download the file
      </Button>
      <ProblemAlert error={read.error} />
    </Stack>
  );
}

function Counts({ job }: { readonly job: PersonJob }) {
  return (
    <Table aria-label="Counts of the job" maw="40rem">
      <Table.Tbody>
        {countsOf(job).map(([label, count]) => (
          <Table.Tr key={label}>
            <Table.Td>{label}</Table.Td>
            <Table.Td ta="right">{count}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Into({ id, env }: { readonly id: string | null; readonly env: Environment }) {
  const { org } = usePlace();
  return (
    <Anchor component={Link} to={`/o/${org}/${env}/app-users/${id ?? ''}`} size="sm" underline="always">
      {id}
    </Anchor>
  );
}

function Gains({ job, env }: Props) {
  if (job.kind !== 'merge' || job.state !== 'done') return null;
  return (
    <div>
      <Text size="sm">
        The account that stays, <Into id={job.into} env={env} />:
      </Text>
      <List size="sm" aria-label="What the account that stays gains">
        {gainsOf(job).map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
    </div>
  );
}

function Details({ job }: { readonly job: PersonJob }) {
  const { workspaces, problems, problems_total, stays } = job;
  if (workspaces.length + problems.length + stays.length === 0) return null;
  // Problems are opened when the first of them is there, which may be long after what else is shown.
  const opened = problems.length > 0 ? ['problems'] : [];
  return (
    <Accordion key={opened.join()} variant="contained" multiple defaultValue={opened}>
      {workspaces.length > 0 && (
        <Accordion.Item value="workspaces">
          <Accordion.Control>By workspace ({workspaces.length})</Accordion.Control>
          <Accordion.Panel>
            <List size="sm">
              {workspaces.map(({ tenant_code, member, records }) => (
                <List.Item key={tenant_code}>
                  {tenant_code}: {member ? 'a member' : 'no member'}, {counted(records, 'record')}
                </List.Item>
              ))}
            </List>
          </Accordion.Panel>
        </Accordion.Item>
      )}
      {problems.length > 0 && (
        <Accordion.Item value="problems">
          <Accordion.Control>What could not be done ({problems_total})</Accordion.Control>
          <Accordion.Panel>
            <List size="sm">
              {problems.map(({ tenant_code, entity, id, message }) => (
                <List.Item key={`${entity} ${id}`}>
                  {entity} {id} in {tenant_code}: {message}
                </List.Item>
              ))}
            </List>
          </Accordion.Panel>
        </Accordion.Item>
      )}
      {stays.length > 0 && (
        <Accordion.Item value="stays">
          <Accordion.Control>What stays, and why ({stays.length})</Accordion.Control>
          <Accordion.Panel>
            <List size="sm" spacing="xs">
              {stays.map(({ what, why, count }) => (
                <List.Item key={what}>
                  {why}
                  {count !== null && ` Found: ${count}.`}
                </List.Item>
              ))}
            </List>
          </Accordion.Panel>
        </Accordion.Item>
      )}
    </Accordion>
  );
}
