import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { usePlace } from '../../../api/session.ts';
import { Dialog } from '../../../components/dialog/dialog.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { counted } from '../../../components/words/counted.ts';
import { templatesKey } from './queries.ts';

interface Props {
  /** Their codes; left out, all. */
  readonly workspaces: readonly string[] | undefined;
  readonly close: () => void;
}

/** Begins a preview, which is the way to an application. */
export function ApplyDialog({ workspaces, close }: Props) {
  const { org, env } = usePlace();
  const navigate = useNavigate();
  const [replacesLocal, setReplacesLocal] = useState(false);
  const begin = useMutation({
    mutationFn: () =>
      call('previewTemplateApplication', {
        query: { env },
        body: {
          ...(workspaces === undefined ? {} : { workspaces: [...workspaces] }),
          ...(replacesLocal ? { replace_local: true } : {}),
        },
      }),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: [templatesKey, 'applications'] });
      await navigate({
        to: '/o/$org/$env/settings/templates/applications/$application',
        params: { org, env, application: id },
      });
    },
  });
  return (
    <Dialog onClose={close} title="Apply the template">
      <Stack>
        <Text size="sm">
          First you see what changes in{' '}
          {workspaces === undefined ? 'all workspaces' : counted(workspaces.length, 'workspace')}. Nothing is changed
          before you start it.
        </Text>
        <Checkbox
          label="Also replace what workspaces have changed themselves"
          description="Policies and groups of the template that a workspace has changed get its content, and those that it has removed are made again."
          checked={replacesLocal}
          onChange={({ currentTarget: { checked } }) => setReplacesLocal(checked)}
        />
        <ProblemAlert error={begin.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button loading={begin.isPending} onClick={() => begin.mutate()}>
            Show what changes
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
