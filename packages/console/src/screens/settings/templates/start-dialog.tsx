import { Checkbox, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { usePlace } from '../../../api/session.ts';
import { TypedConfirmation } from '../../../components/typed-confirmation.tsx';
import { counted } from '../../../components/words/counted.ts';
import { type Application, templatesKey } from './queries.ts';

interface Props {
  readonly application: Application;
  readonly close: () => void;
}

/** The code of the app is typed before workspaces change; more rights for members are agreed to beside it. */
export function StartDialog({ application: { id, differ, widening, replace_local }, close }: Props) {
  const { org, env } = usePlace();
  const [isAgreed, setIsAgreed] = useState(false);
  const start = useMutation({
    mutationFn: () =>
      call('startTemplateApplication', {
        params: { id },
        query: { env },
        body: isAgreed ? { accept_widening: true } : {},
      }),
    onSuccess: close,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [templatesKey] }),
  });
  return (
    <TypedConfirmation
      title={`Apply the template to ${counted(differ, 'workspace')}?`}
      name={org}
      what="app"
      action="Apply the template"
      work={start}
      onClose={close}
    >
      <Stack gap="sm">
        <Text size="sm">
          Policies and groups of these workspaces of {env === 'prod' ? 'production' : 'test'} change as the list says. A
          workspace that has changed since is left as it is.
        </Text>
        {replace_local && (
          <Text size="sm">
            What workspaces have changed or removed themselves is replaced too. Their own content is not kept.
          </Text>
        )}
        {widening > 0 && (
          <Checkbox
            label={`Members of ${counted(widening, 'workspace')} may do more afterwards. I agree to that.`}
            checked={isAgreed}
            onChange={({ currentTarget: { checked } }) => setIsAgreed(checked)}
          />
        )}
      </Stack>
    </TypedConfirmation>
  );
}
