import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { callApp } from '../../api/app.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { TypedConfirmation } from '../../components/typed-confirmation.tsx';
import { accessKey } from './queries.ts';
import { useBuilder } from './use-builder.ts';

interface Props {
  readonly entity: 'aclpolicy' | 'group';
  readonly id: string;
  readonly name: string;
  readonly what: 'policy' | 'group';
  /** The screen that lists them. */
  readonly list: 'policies' | 'groups';
  /** Why it cannot be removed. */
  readonly reason: string | undefined;
  /** Whom it affects. */
  readonly children: ReactNode;
}

/** Removes a policy or a group once its name is typed; if it is held, once the holders were shown too. */
export function RemoveAccess({ entity, id, name, what, list, reason, children }: Props) {
  const { org, env } = usePlace();
  const actor = useBuilder();
  const navigate = useNavigate();
  const [isConfirming, setIsConfirming] = useState(false);
  const remove = useMutation({
    mutationFn: async (isForced: boolean) => {
      const query = isForced ? { force: true } : {};
      if (actor !== undefined) await callApp(actor, 'DELETE', `/delete/${entity}/${id}`, { query });
    },
    onSuccess: async () => {
      await navigate({ to: `/o/$org/$env/${list}`, params: { org, env }, ignoreBlocker: true });
      queryClient.removeQueries({ queryKey: [accessKey, what] });
      await queryClient.invalidateQueries({ queryKey: [accessKey] });
    },
  });
  const isHeld = remove.error instanceof ApiProblem && remove.error.body?.held_by !== undefined;
  const close = () => {
    setIsConfirming(false);
    remove.reset();
  };
  return (
    <>
      <ReasonedButton reason={reason} variant="default" color="red" onClick={() => setIsConfirming(true)}>
        Delete
      </ReasonedButton>
      {isConfirming && (
        <TypedConfirmation
          title={`Delete the ${what} ${name}?`}
          name={name}
          what={what}
          action={isHeld ? `Take it from all and delete the ${what}` : `Delete the ${what}`}
          work={{ ...remove, mutate: () => remove.mutate(isHeld) }}
          onClose={close}
        >
          {children}
        </TypedConfirmation>
      )}
    </>
  );
}
