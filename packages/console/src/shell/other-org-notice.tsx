import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../api/call.ts';
import { queryClient } from '../api/query-client.ts';
import { usePlace } from '../api/session.ts';
import { onOrgMismatch } from '../api/tab-org.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { announceOrg, onOtherOrg } from './org-channel.ts';

interface Other {
  /** Undefined after signing out. */
  readonly code: string | undefined;
}

/**
 * The session of the browser has moved to another org in another tab, or has ended there. The tab waits until the user
 * chooses. Going back keeps what was typed, and calls that were refused are sent again.
 */
export function OtherOrgNotice() {
  const { org } = usePlace();
  const router = useRouter();
  const [other, setOther] = useState<Other>();
  const waiting = useRef<(isBack: boolean) => void>(undefined);
  const end = useCallback((isBack: boolean) => {
    waiting.current?.(isBack);
    waiting.current = undefined;
    setOther(undefined);
  }, []);
  useEffect(() => onOtherOrg((code) => (code === org ? end(true) : setOther({ code }))), [org, end]);
  useEffect(() => onOrgMismatch(() => askAfter(setOther, waiting)), []);
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

/** Asks the platform which org the session has, then the user. Resolves to whether the session is back in the org of the tab. */
async function askAfter(
  setOther: (other: Other) => void,
  waiting: { current: ((isBack: boolean) => void) | undefined },
): Promise<boolean> {
  const { org } = await call('readMe', { mayBeSignedOut: true });
  return new Promise((resolve) => {
    waiting.current = resolve;
    setOther({ code: org.code });
  });
}
