import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { callApp } from '../../api/app.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import type { Draft } from '../../components/use-draft.ts';
import type { PolicyDraft } from '../policies/policy-draft.ts';
import { type Lint, whyNotSaved } from '../policies/policy-editor.tsx';
import { accessKey, type Policy } from '../policies/queries.ts';
import { useBuilder, useReadOnlyReason } from '../policies/use-builder.ts';

interface Props {
  readonly stored: Policy | undefined;
  readonly draft: Draft<PolicyDraft>;
  readonly lint: Lint;
  /** The draft is the stored policy now. */
  readonly onSaved: () => void;
}

/** Stores the draft. What another author saved meanwhile is not overwritten: the platform refuses it. */
export function SaveDraft({ stored, draft, lint, onSaved }: Props) {
  const { org, env } = usePlace();
  const readOnlyReason = useReadOnlyReason();
  const actor = useBuilder();
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: async () => {
      if (actor === undefined) return undefined;
      const { body } =
        stored === undefined
          ? await callApp(actor, 'POST', '/create/aclpolicy', { body: draft.value })
          : await callApp(actor, 'PUT', `/update/aclpolicy/${stored.id}`, {
              headers: { 'If-Match': `"${stored.version}"` },
              body: draft.value,
            });
      return (body as { readonly id: string }).id;
    },
    onSuccess: async (id) => {
      await queryClient.invalidateQueries({ queryKey: [accessKey] });
      onSaved();
      if (stored === undefined && id !== undefined)
        await navigate({
          to: '/o/$org/$env/policies/$policy',
          params: { org, env, policy: id },
          search: { tab: 'held' },
        });
    },
  });
  return (
    <>
      <ReasonedButton
        variant="default"
        reason={readOnlyReason ?? whyNotSaved(draft, lint)}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        {stored === undefined ? 'Save as a new policy' : 'Save to the policy'}
      </ReasonedButton>
      <ProblemAlert error={save.error} />
    </>
  );
}
