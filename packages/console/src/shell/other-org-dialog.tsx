import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { call } from '../api/call.ts';
import { queryClient } from '../api/query-client.ts';
import { usePlace } from '../api/session.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { announceOrg, type Other } from './org-channel.ts';

interface Props {
  /** Undefined while the session is in the org of the tab. */
  readonly other: Other | undefined;
  readonly end: (isBack: boolean) => void;
}

/** Says where the session is, and asks where the tab goes on. */
export function OtherOrgDialog({ other, end }: Props) {
  const { org } = usePlace();
  const router = useRouter();
  const back = useMutation({
    mutationFn: () => call('switchOrg', { body: { org } }),
    onSuccess: () => {
      announceOrg(org);
      end(true);
      void queryClient.invalidateQueries();
    },
  });
  const signIn = () => {
    end(false);
    queryClient.clear();
    void router.invalidate();
  };
  const leave = (code: string) => {
    end(false);
    void router.navigate({ to: '/o/$org/$env', params: { org: code, env: 'test' } });
  };
  const hasEnded = other !== undefined && other.code === undefined;
  return (
    <Modal
      opened={other !== undefined}
      onClose={() => undefined}
      withCloseButton={false}
      title={hasEnded ? 'You have signed out' : 'You have switched the org'}
    >
      <Stack gap="sm">
        <Text>
          {hasEnded
            ? 'You signed out in another tab.'
            : `Another tab now works in the org ${other?.code ?? ''}. This tab shows ${org}. Nothing was done there.`}
        </Text>
        <ProblemAlert error={back.error} />
        <Group justify="flex-end">
          {other?.code === undefined ? (
            <Button onClick={signIn}>Sign in</Button>
          ) : (
            <>
              <Button variant="default" onClick={() => leave(other.code ?? org)}>
                Go to {other.code}
              </Button>
              <Button loading={back.isPending} onClick={() => back.mutate()}>
                Back to {org}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
