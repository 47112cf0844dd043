import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { LineSkeletons, Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { When } from '../../components/when.tsx';
import { counted } from '../../components/words/counted.ts';
import type { DeliverySearch } from './delivery-search.ts';
import { eventsKey, useActingReason } from './queries.ts';

interface Chosen {
  readonly event: string;
  readonly state: 'dead' | 'delivered';
  readonly since?: string;
  readonly until?: string;
}

/** Sends again what the filters of a list choose, once its number was shown. */
export function SendManyAgain({ filter }: { readonly filter: DeliverySearch }) {
  const actingReason = useActingReason();
  const [selected, setRequested] = useState<Chosen>();
  const chosen = chosenBy(filter);
  const reason = actingReason ?? (typeof chosen === 'string' ? chosen : undefined);
  return (
    <>
      <ReasonedButton
        reason={reason}
        variant="default"
        onClick={() => setRequested(typeof chosen === 'string' ? undefined : chosen)}
      >
        Send these again
      </ReasonedButton>
      <Modal opened={selected !== undefined} onClose={() => setRequested(undefined)} title="Send deliveries again?">
        {selected !== undefined && <Confirmation chosen={selected} close={() => setRequested(undefined)} />}
      </Modal>
    </>
  );
}

/** What the filters choose, or what is missing. */
function chosenBy({ event, state, since, until }: DeliverySearch): Chosen | string {
  if (event === undefined) return 'Choose an event first.';
  if (state !== 'dead' && state !== 'delivered') return 'Choose the state Given up or Delivered first.';
  return {
    ...{ event, state },
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

function Confirmation({ chosen, close }: { readonly chosen: Chosen; readonly close: () => void }) {
  const { env } = usePlace();
  const preview = useQuery({
    queryKey: [eventsKey, 'count to send again', env, chosen],
    queryFn: ({ signal }) => call('redeliverMany', { query: { env, dry_run: true }, body: chosen, signal }),
    gcTime: 0,
    staleTime: 0,
  });
  const send = useMutation({
    mutationFn: () => call('redeliverMany', { query: { env }, body: chosen }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [eventsKey] }),
  });
  const sent = send.data;
  if (sent !== undefined)
    return (
      <Stack>
        <Text size="sm" role="status">
          {counted(sent.count, 'delivery waits', 'deliveries wait')} to be sent.
          {sent.more ? ' There are more: send again to reach earlier ones.' : ''}
        </Text>
        <Group justify="flex-end">
          <Button onClick={close}>Close</Button>
        </Group>
      </Stack>
    );
  return (
    <Stack>
      <Loaded query={preview} skeleton={<LineSkeletons lines={2} />}>
        {({ count, more }) => (
          <>
            <Text size="sm">
              <strong>{counted(count, 'delivery', 'deliveries')}</strong> of <strong>{chosen.event}</strong>{' '}
              {chosen.state === 'dead' ? 'that were given up' : 'that have arrived'} would be sent again
              <Span chosen={chosen} />.{more ? ' These are the newest; there are more, and one call sends 200.' : ''}
            </Text>
            <Text size="sm" c="dimmed">
              Each keeps its id, by which a receiver knows it. It may overtake, or come behind, later writes of its
              record.
            </Text>
            <ProblemAlert error={send.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <ReasonedButton
                reason={
                  count === 0
                    ? 'None of them can be sent again: what has arrived is kept for 3 days, what was given up for 30.'
                    : undefined
                }
                loading={send.isPending}
                onClick={() => send.mutate()}
              >
                {count === 0 ? 'Send again' : `Send ${counted(count, 'delivery', 'deliveries')} again`}
              </ReasonedButton>
            </Group>
          </>
        )}
      </Loaded>
    </Stack>
  );
}

function Span({ chosen: { since, until } }: { readonly chosen: Chosen }) {
  return (
    <>
      {since !== undefined && (
        <>
          , of writes since <When at={since} />
        </>
      )}
      {until !== undefined && (
        <>
          , of writes before <When at={until} />
        </>
      )}
    </>
  );
}
