import { Alert, Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { usePlace } from '../../../api/session.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { Screen } from '../../../components/screen.tsx';
import { Sentence } from '../../../components/sentence.tsx';
import { counted } from '../../../components/words/counted.ts';
import { StateBadge } from './application-list.tsx';
import { AppliedWorkspaces } from './applied-workspaces.tsx';
import { type Application, applicationQuery, templatesKey } from './queries.ts';
import { StartDialog } from './start-dialog.tsx';
import classes from './templates.module.css';

/** What an application changes in which workspace, and how far it is. */
export function ApplicationScreen() {
  const { org, env } = usePlace();
  const { application: id } = useParams({ from: '/o/$org/$env/settings/templates/applications/$application' });
  const application = useQuery(applicationQuery(env, id));
  return (
    <Screen
      title="Template application"
      intro="The policies and groups of the template, as they come into workspaces."
      actions={
        <Anchor component={Link} to={`/o/${org}/${env}/settings/templates`} size="sm">
          All workspaces
        </Anchor>
      }
    >
      <Loaded query={application}>{(shown) => <ApplicationView application={shown} />}</Loaded>
    </Screen>
  );
}

function ApplicationView({ application }: { readonly application: Application }) {
  const { env, adminReason } = usePlace();
  const [isStarting, setIsStarting] = useState(false);
  const { id, state, differ } = application;
  const cancel = useMutation({
    mutationFn: () => call('cancelTemplateApplication', { params: { id }, query: { env } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [templatesKey] }),
  });
  const isOpen = state === 'previewing' || state === 'previewed' || state === 'running';
  return (
    <Stack>
      <Group justify="space-between">
        <StateBadge state={state} />
        <Group gap="xs">
          {isOpen && (
            <ReasonedButton
              reason={adminReason}
              variant="default"
              loading={cancel.isPending}
              onClick={() => cancel.mutate()}
            >
              Cancel
            </ReasonedButton>
          )}
          {state === 'previewed' && (
            <ReasonedButton
              reason={adminReason ?? (differ === 0 ? 'Nothing is to be changed.' : undefined)}
              onClick={() => setIsStarting(true)}
            >
              Apply it
            </ReasonedButton>
          )}
        </Group>
      </Group>
      <ProblemAlert error={cancel.error} />
      <Summary application={application} />
      {state !== 'previewing' && differ > 0 && <AppliedWorkspaces application={application} />}
      {isStarting && <StartDialog application={application} close={() => setIsStarting(false)} />}
    </Stack>
  );
}

function Summary({ application }: { readonly application: Application }) {
  const { state, looked, differ, creates, replaces, keeps, widening, done, failed, error, replace_local } = application;
  if (state === 'previewing')
    return (
      <Text role="status">Looking at the workspaces: {looked.toLocaleString('en')} so far. Nothing is changed.</Text>
    );
  return (
    <Stack gap="xs">
      <Text role="status">
        {differ === 0
          ? `None of ${counted(looked, 'workspace')} is to be changed.`
          : state === 'previewed'
            ? `${counted(differ, 'workspace')} of ${looked.toLocaleString('en')} would change.`
            : `${done} of ${counted(differ, 'workspace')} changed${failed === 0 ? '' : `, ${failed} left as they are`}.`}
      </Text>
      {state === 'running' && (
        <Progress
          value={(100 * (done + failed)) / Math.max(1, differ)}
          aria-label="Workspaces that are done"
          animated
        />
      )}
      <Text size="sm">
        Policies and groups: {creates.toLocaleString('en')} made, {replaces.toLocaleString('en')} replaced,{' '}
        {keeps.toLocaleString('en')} kept as workspaces have changed them.
      </Text>
      {replace_local && <Text size="sm">What workspaces have changed or removed themselves is replaced too.</Text>}
      {widening > 0 && (
        <Alert color="yellow" title="Members may do more" classNames={{ title: classes.alertTitle ?? '' }}>
          In {counted(widening, 'workspace')} members may do more than before. The list says what.
        </Alert>
      )}
      {error !== null && (
        <Alert color="red" title="It has ended before its end" classNames={{ title: classes.alertTitle ?? '' }}>
          <Sentence text={error} />
        </Alert>
      )}
    </Stack>
  );
}
