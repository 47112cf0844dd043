import { Alert, Grid, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ApiProblem } from '../../../api/problem.ts';
import { usePlace } from '../../../api/session.ts';
import { CopyId } from '../../../components/copy-id.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Screen } from '../../../components/screen.tsx';
import { EraseCard, ExportCard } from './erase-card.tsx';
import { JobReport } from './job-report.tsx';
import { MergeCard } from './merge-card.tsx';
import { isOver, type Person, type PersonJob, personJobsQuery, personQuery } from './queries.ts';
import { UnfinishedErase } from './unfinished-erase.tsx';

/** All that the org has of one app user in an environment: to collect it, and to erase it. */
export function PersonalData() {
  const { env, adminReason } = usePlace();
  const { user: id } = useParams({ from: '/o/$org/$env/app-users/$user/personal-data' });
  return (
    <Screen title="Personal data" intro={<Who person={{ env, id }} isAdmin={adminReason === undefined} />}>
      {adminReason === undefined ? (
        <Jobs person={{ env, id }} />
      ) : (
        <EmptyState title="For admins of the org">
          Only an admin of the org may collect or erase the data of a person.
        </EmptyState>
      )}
    </Screen>
  );
}

function Who({ person, isAdmin }: { readonly person: Person; readonly isAdmin: boolean }) {
  const { data } = useQuery({ ...personQuery(person), enabled: isAdmin });
  return (
    <Group gap="xs" component="span">
      {data !== undefined && <span>{data.email}</span>}
      <CopyId value={person.id} what="id of the app user" />
    </Group>
  );
}

function Jobs({ person }: { readonly person: Person }) {
  const jobs = useQuery(personJobsQuery(person));
  return (
    <Loaded query={jobs}>
      {({ items, isCut }) => (
        <Stack gap="xl">
          <Actions person={person} jobs={items} />
          <Stack gap="sm" component="section" aria-label="Jobs">
            <Title order={2}>Jobs</Title>
            {items.length === 0 ? (
              <Text size="sm" c="dimmed">
                {isCut ? 'Nothing was found.' : 'Nothing was asked for in the last 30 days.'} Previews, exports and
                erases of this person are shown here with their reports.
              </Text>
            ) : (
              items.map((job) => <JobReport key={job.id} job={job} env={person.env} />)
            )}
            {isCut && (
              <Text size="sm" c="dimmed">
                The org has had more jobs than were looked at: earlier ones of this person are not shown.
              </Text>
            )}
          </Stack>
        </Stack>
      )}
    </Loaded>
  );
}

function Actions({ person, jobs }: { readonly person: Person; readonly jobs: readonly PersonJob[] }) {
  const account = useQuery(personQuery(person));
  const isGone = account.error instanceof ApiProblem && account.error.code === 'not_found';
  const isErased = jobs.some(({ kind, dry_run, state }) => kind === 'erase' && !dry_run && state !== 'failed');
  const latest = jobs.find(({ kind, dry_run }) => kind === 'erase' && !dry_run);
  if (isGone && latest?.state === 'failed')
    return <UnfinishedErase person={person} records={latest.records ?? 'keep'} />;
  if (isGone || isErased)
    return (
      <Alert color="gray" title={isErased ? 'This person is erased, or is being erased.' : 'There is no such account.'}>
        {isErased
          ? 'The account opens nothing. The reports below say what was done and what stays.'
          : 'It has never been in this environment, or it was erased and its reports have expired after 30 days.'}
      </Alert>
    );
  if (account.data?.state === 'merged')
    return (
      <Alert color="gray" title="This account has become part of another account.">
        Collect or erase the data of that account: it includes what was of this one.
      </Alert>
    );
  if (account.data === undefined) return <ProblemAlert error={account.error} />;
  const reason = jobs.every(isOver) ? undefined : 'A job about this person is under way.';
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack gap="lg">
          <ExportCard person={person} reason={reason} />
          <MergeCard person={person} email={account.data.email} jobs={jobs} reason={reason} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <EraseCard person={person} email={account.data.email} jobs={jobs} reason={reason} />
      </Grid.Col>
    </Grid>
  );
}
