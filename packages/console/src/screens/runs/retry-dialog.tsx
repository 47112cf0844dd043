import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { type RunDetails, type RunStep, runsKey } from './queries.ts';

interface Props {
  readonly run: RunDetails;
  /** The step to begin with; undefined for the step that failed. */
  readonly from: RunStep | undefined;
  readonly onClose: () => void;
}

const stepsNamed = 10;

/** Says what a retry does again, and begins it. */
export function RetryDialog({ run, from, onClose }: Props) {
  const { org, env } = usePlace();
  const navigate = useNavigate();
  const again = from === undefined ? [] : run.steps.filter(({ path, state }) => path >= from.path && state === 'done');
  const retry = useMutation({
    mutationFn: () =>
      call('retryRun', {
        params: { id: run.id },
        query: { env },
        body: from === undefined ? {} : { from: from.path },
      }),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: [runsKey] });
      onClose();
      await navigate({ to: '/o/$org/$env/runs/$run', params: { org, env, run: id } });
    },
  });
  return (
    <Dialog onClose={onClose} title={from === undefined ? 'Retry the run?' : `Retry from ${from.id}?`}>
      <Stack>
        <Text size="sm">
          A new run goes on {from === undefined ? 'where this one ended' : `at the step ${from.id}`}, with the same
          input and the same versions of the blocks. Steps before it are not done again.
        </Text>
        {again.length > 0 && (
          <div>
            <Text size="sm">
              These steps were done and are done again. Records are made and changed once more, and what is sent has new
              idempotency keys:
            </Text>
            <List size="sm" aria-label="Steps that are done again">
              {again.slice(0, stepsNamed).map(({ path, id, type }) => (
                <List.Item key={path}>
                  {id} ({type})
                </List.Item>
              ))}
            </List>
            {(again.length > stepsNamed || run.has_more_steps) && <Text size="sm">and more behind them.</Text>}
          </div>
        )}
        <ProblemAlert error={retry.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            color={again.length > 0 ? 'red' : 'cyan'}
            loading={retry.isPending}
            data-autofocus
            onClick={() => retry.mutate()}
          >
            {again.length > 0 ? 'Do them again' : 'Retry the run'}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
