import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { usePlace } from '../../../api/session.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { percentsIn } from './percents.ts';

/** The shares of a limit at which the org is warned. */
export function PercentForm({ percents }: { readonly percents: readonly number[] }) {
  const { adminReason } = usePlace();
  const [text, setText] = useState(percents.join(', '));
  const save = useMutation({
    mutationFn: (request: readonly number[]) => call('changeAlertPercents', { body: { percents: [...request] } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['usage'] }),
  });
  const typed = percentsIn(text);
  const isSame = typed.percents.join() === percents.join();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.fault === undefined) save.mutate(typed.percents);
      }}
    >
      <Stack gap="xs">
        <TextInput
          label="Percent of a limit"
          description="One to five whole numbers. Both environments share them, and no deploy changes them."
          value={text}
          error={typed.fault}
          readOnly={adminReason !== undefined}
          inputMode="numeric"
          autoComplete="off"
          maw="24rem"
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
        <ProblemAlert error={save.error} />
        <Group gap="sm">
          <ReasonedButton
            type="submit"
            reason={adminReason ?? typed.fault ?? (isSame ? 'The org is warned at these already.' : undefined)}
            loading={save.isPending}
          >
            Save
          </ReasonedButton>
          {save.isSuccess && (
            <Text size="sm" role="status">
              Saved. It holds on every node within ten seconds.
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}
