import type { alertWebhookApi } from '@freehold/contract/management/alert-webhook';
import type { ReplyOf } from '@freehold/contract/route';
import { Alert, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { ApiProblem } from '../../../api/problem.ts';
import { queryClient } from '../../../api/query-client.ts';
import { usePlace } from '../../../api/session.ts';
import { CopyId } from '../../../components/copy-id.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { TypedConfirmation } from '../../../components/typed-confirmation.tsx';
import { When } from '../../../components/when.tsx';
import classes from '../settings.module.css';
import { LastDelivery } from './last-delivery.tsx';

type Webhook = ReplyOf<typeof alertWebhookApi.showAlertWebhook>;

/** Null where there is none. */
const webhookQuery = queryOptions({
  queryKey: ['alert webhook'],
  queryFn: async ({ signal }): Promise<Webhook | null> => {
    try {
      return await call('showAlertWebhook', { signal });
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'not_found') return null;
      throw error;
    }
  },
});

/** Where alerts are sent, with the outcome of the last one. */
export function AlertWebhook() {
  const webhook = useQuery(webhookQuery);
  const [secret, setSecret] = useState<string>();
  return (
    <Paper withBorder p="md" component="section" aria-label="Alert webhook">
      <Stack>
        <div>
          <Title order={2}>Alert webhook</Title>
          <Text size="sm" mt={4}>
            The platform sends each alert to this address as a POST of JSON, signed after Standard Webhooks. Both
            environments share it, and no deploy changes it. The address is public and of https; in development also
            this machine.
          </Text>
        </div>
        {secret !== undefined && (
          <Alert
            color="green"
            role="status"
            classNames={{ title: classes.alertTitle ?? '' }}
            title="The secret that signs the messages. It is shown this once."
          >
            <CopyId value={secret} what="secret" />
          </Alert>
        )}
        <Loaded query={webhook}>
          {(stored) => (
            <>
              {stored !== null && <Stored webhook={stored} />}
              <SetWebhook key={stored?.url ?? ''} stored={stored} onSecret={setSecret} />
            </>
          )}
        </Loaded>
      </Stack>
    </Paper>
  );
}

interface SetProps {
  readonly stored: Webhook | null;
  readonly onSecret: (secret: string) => void;
}

function SetWebhook({ stored, onSecret }: SetProps) {
  const [url, setUrl] = useState(stored?.url ?? '');
  const save = useMutation({
    mutationFn: () => call('setAlertWebhook', { body: { url } }),
    onSuccess: async ({ secret }) => {
      onSecret(secret);
      await queryClient.invalidateQueries(webhookQuery);
    },
  });
  const problem = save.error instanceof ApiProblem ? save.error : undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Address"
          type="url"
          placeholder="https://hooks.example.com/freehold"
          description={
            stored === null
              ? undefined
              : 'Saving, also of the same address, makes a new secret. The old one ends at once.'
          }
          value={url}
          error={problem?.errorAt('/url')}
          autoComplete="off"
          maw="34rem"
          onChange={({ currentTarget: { value } }) => setUrl(value)}
        />
        <ProblemAlert error={save.error} shownAtFields={['/url']} />
        <Group>
          <ReasonedButton
            reason={url.trim() === '' ? 'Type the address first.' : undefined}
            type="submit"
            loading={save.isPending}
          >
            {stored === null ? 'Send alerts there' : url === stored.url ? 'Make a new secret' : 'Save the address'}
          </ReasonedButton>
        </Group>
      </Stack>
    </form>
  );
}

function Stored({ webhook }: { readonly webhook: Webhook }) {
  const [isConfirming, setIsConfirming] = useState(false);
  const test = useMutation({
    mutationFn: () => call('testAlertWebhook'),
    onSuccess: () => queryClient.invalidateQueries(webhookQuery),
  });
  return (
    <Stack gap="xs">
      <Text size="sm">
        Alerts go to <code>{webhook.url}</code>, set <When at={webhook.created_at} />.
      </Text>
      <LastDelivery delivery={webhook.last_delivery} />
      <ProblemAlert error={test.error} />
      {test.isSuccess && (
        <Text size="sm" c="dimmed" role="status">
          The message {test.data.id} is queued.
        </Text>
      )}
      <Group gap="xs">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          Send a test message
        </Button>
        <Button variant="default" onClick={() => void queryClient.invalidateQueries(webhookQuery)}>
          Look for the outcome
        </Button>
        <Button variant="default" color="red" onClick={() => setIsConfirming(true)}>
          Remove the webhook
        </Button>
      </Group>
      {isConfirming && <Remove onClose={() => setIsConfirming(false)} />}
    </Stack>
  );
}

function Remove({ onClose }: { readonly onClose: () => void }) {
  const { org } = usePlace();
  const remove = useMutation({
    mutationFn: () => call('removeAlertWebhook'),
    onSuccess: async () => {
      await queryClient.invalidateQueries(webhookQuery);
      onClose();
    },
  });
  return (
    <TypedConfirmation
      title="Remove the alert webhook?"
      name={org}
      what="org"
      action="Remove the webhook"
      work={{ mutate: () => remove.mutate(), isPending: remove.isPending, error: remove.error }}
      onClose={onClose}
    >
      <Text size="sm">
        Alerts are still written to the audit log and shown in the console. Messages that wait are not sent. A webhook
        that is set later has another secret.
      </Text>
    </TypedConfirmation>
  );
}
