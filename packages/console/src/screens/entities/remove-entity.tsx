import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { TypedConfirmation } from '../../components/typed-confirmation.tsx';

/** Removes the entity with its records, once its name is typed. */
export function RemoveEntity({ name }: { readonly name: string }) {
  const { org, env, readOnlyReason } = usePlace();
  const navigate = useNavigate();
  const [isConfirming, setIsConfirming] = useState(false);
  const remove = useMutation({
    mutationFn: () => call('removeEntity', { query: { entityname: name } }),
    onSuccess: async () => {
      await navigate({ to: '/o/$org/$env/entities', params: { org, env } });
      await queryClient.invalidateQueries({ queryKey: ['entities'] });
    },
  });
  const close = () => {
    setIsConfirming(false);
    remove.reset();
  };
  return (
    <>
      <ReasonedButton reason={readOnlyReason} variant="default" color="red" onClick={() => setIsConfirming(true)}>
        Remove
      </ReasonedButton>
      {isConfirming && (
        <TypedConfirmation
          title={`Remove ${name} and its records?`}
          name={name}
          what="entity"
          action="Remove the entity"
          work={remove}
          onClose={close}
        >
          <Text size="sm">
            Its API and its records in all workspaces of test are gone at once. Production keeps its own until a deploy
            takes it out there.
          </Text>
        </TypedConfirmation>
      )}
    </>
  );
}
