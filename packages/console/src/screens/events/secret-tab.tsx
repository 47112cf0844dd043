import { Alert, Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { When } from '../../components/when.tsx';
import classes from './events.module.css';
import { eventSecretQuery, eventsKey } from './queries.ts';

/** The secret that signs what an event sends: when it was made, and a new one, which is shown once. */
export function SecretTab({ name }: { readonly name: string }) {
  const { adminReason } = usePlace();
  const [isConfirming, setIsConfirming] = useState(false);
  return (
    <Stack>
      <Text size="sm">
        What the event sends is signed as{' '}
        <Anchor href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer noopener" underline="always">
          Standard Webhooks
        </Anchor>{' '}
        has it: the header webhook-signature holds an HMAC-SHA256 over id, time and body. A receiver verifies it with
        the secret.
      </Text>
      {adminReason === undefined ? (
        <WhenMade name={name} />
      ) : (
        <Text size="sm" c="dimmed">
          Admins of the org see when it was made, and make new ones.
        </Text>
      )}
      <Group>
        <ReasonedButton reason={adminReason} variant="default" onClick={() => setIsConfirming(true)}>
          Make a new secret
        </ReasonedButton>
      </Group>
      <Modal
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        title="Make a new signing secret?"
        // What is shown once is not lost by a click beside it.
        closeOnClickOutside={false}
      >
        {isConfirming && <Renewal name={name} close={() => setIsConfirming(false)} />}
      </Modal>
    </Stack>
  );
}

function WhenMade({ name }: { readonly name: string }) {
  const { env } = usePlace();
  const secret = useQuery(eventSecretQuery(env, name));
  return (
    <Loaded query={secret}>
      {({ created_at, previous_until }) => (
        <Text size="sm">
          {created_at === null ? (
            'No secret was made yet, so no receiver can verify what the event sends.'
          ) : (
            <>
              The secret was made <When at={created_at} />.
            </>
          )}
          {previous_until !== null && Date.parse(previous_until) > Date.now() && (
            <>
              {' '}
              The one before it signs along until <When at={previous_until} />.
            </>
          )}
        </Text>
      )}
    </Loaded>
  );
}

function Renewal({ name, close }: { readonly name: string; readonly close: () => void }) {
  const { env } = usePlace();
  const make = useMutation({
    mutationFn: () => call('makeEventSecret', { params: { name }, query: { env } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [eventsKey, 'secret'] }),
    // A secret is kept nowhere once its dialog is closed.
    gcTime: 0,
  });
  if (make.data !== undefined)
    return (
      <Stack>
        <Alert color="yellow" title="It is shown this once" classNames={{ title: classes.alertTitle ?? '' }}>
          Copy it to the receiver now. The console cannot show it again.
        </Alert>
        <div>
          <CopyId value={make.data.secret} what="signing secret" />
        </div>
        <Text size="sm">
          The secret before it signs along until <When at={make.data.previous_until} />.
        </Text>
        <Group justify="flex-end">
          <Button onClick={close}>Done</Button>
        </Group>
      </Stack>
    );
  return (
    <Stack>
      <Text size="sm">
        What {name} sends is then signed by the new secret, and for 24 hours by the one before it too, so that receivers
        have time to change.
      </Text>
      <ProblemAlert error={make.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button loading={make.isPending} onClick={() => make.mutate()}>
          Make the secret
        </Button>
      </Group>
    </Stack>
  );
}
