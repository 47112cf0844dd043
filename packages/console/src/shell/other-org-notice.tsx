import { Button, Group, Modal, Text } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import { usePlace } from '../api/session.ts';
import { onOtherOrg } from './org-channel.ts';

/**
 * The session of the browser has moved to another org in another tab, or has ended there. Calls of this tab would go to
 * that org, so it waits until the user chooses.
 */
export function OtherOrgNotice() {
  const { org } = usePlace();
  const router = useRouter();
  const [other, setOther] = useState<{ readonly code: string | undefined }>();
  useEffect(() => onOtherOrg((code) => setOther(code === org ? undefined : { code })), [org]);
  const stay = () => {
    setOther(undefined);
    queryClient.clear();
    void router.invalidate();
  };
  return (
    <Modal
      opened={other !== undefined}
      onClose={() => undefined}
      withCloseButton={false}
      title={other?.code === undefined ? 'You have signed out' : 'You have switched the org'}
    >
      <Text>
        {other?.code === undefined
          ? 'You signed out in another tab.'
          : `Another tab now works in the org ${other.code}. This tab shows ${org}.`}
      </Text>
      <Group justify="flex-end" mt="md">
        {other?.code !== undefined && (
          <Button variant="default" onClick={() => void router.navigate({ to: '/' }).then(() => router.invalidate())}>
            Go to {other.code}
          </Button>
        )}
        <Button onClick={stay}>{other?.code === undefined ? 'Sign in' : `Back to ${org}`}</Button>
      </Group>
    </Modal>
  );
}
