import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { usePlace } from '../../../api/session.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { Screen } from '../../../components/screen.tsx';
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx';
import { useDraft } from '../../../components/use-draft.ts';
import { isBehind, Meanwhile } from '../meanwhile.tsx';
import { checkPolicy, type PolicyDraft } from '../policy-draft.ts';
import { PolicyEditor, useLint, whyNotSaved } from '../policy-editor.tsx';
import { RemoveTemplate } from './remove-template.tsx';
import { useSaveTemplates } from './save-templates.ts';
import { type StoredTemplates, templatesQuery } from './templates.ts';

const empty: PolicyDraft = { name: '', statements: [] };

/** A policy that new workspaces get: the policy that the address names, or a new one. */
export function TemplateScreen() {
  const { env } = usePlace();
  const { name } = useSearch({ from: '/o/$org/$env/policy-template' });
  const templates = useQuery(templatesQuery(env));
  return (
    <Screen title={name ?? 'New template'} intro="A policy that new workspaces are founded with.">
      <Loaded query={templates} skeleton={<Skeleton height={420} />}>
        {(stored) =>
          name !== undefined && templateOf(stored, name) === undefined ? (
            <EmptyState title="No template has this name">It was renamed or deleted.</EmptyState>
          ) : (
            <Editor key={`${env} ${name}`} name={name} stored={stored} />
          )
        }
      </Loaded>
    </Screen>
  );
}

function templateOf({ templates }: StoredTemplates, name: string | undefined): PolicyDraft | undefined {
  return templates.policies.find((policy) => policy.name === name);
}

interface EditorProps {
  readonly name: string | undefined;
  /** As they are now; the draft goes on from what they were when it began. */
  readonly stored: StoredTemplates;
}

function Editor({ name, stored }: EditorProps) {
  const { org, env, readOnlyReason, adminReason } = usePlace();
  const navigate = useNavigate();
  const [base, setBase] = useState(templateOf(stored, name) ?? empty);
  const draft = useDraft(base, checkPolicy);
  const lint = useLint(draft.value.statements);
  const save = useSaveTemplates();
  const now = templateOf(stored, name) ?? empty;
  const isDirty = draft.mistake !== undefined || JSON.stringify(draft.value) !== JSON.stringify(base);
  const reason = readOnlyReason ?? adminReason;
  const leave = () =>
    navigate({
      to: '/o/$org/$env/policies',
      params: { org, env },
      search: { view: 'templates' } as never,
      ignoreBlocker: true,
    });
  const isTaken = draft.value.name !== name && templateOf(stored, draft.value.name) !== undefined;
  const store = (after: PolicyDraft | undefined) =>
    save.mutate({ stored, before: name, after }, { onSuccess: () => void leave() });
  // Beside Save, where the choice is made; above the statements where nothing is to be saved.
  const meanwhile = (isBehind(save.error) || JSON.stringify(now) !== JSON.stringify(base)) && (
    <Meanwhile
      title="The templates were changed meanwhile."
      stored={now}
      isDirty={isDirty}
      error={save.error}
      isSaving={save.isPending}
      onTake={() => {
        save.reset();
        setBase(now);
        draft.setValue(now);
      }}
      onOverwrite={() => store(draft.value)}
    />
  );
  return (
    <Stack>
      <UnsavedGuard isDirty={isDirty} />
      {!isDirty && meanwhile}
      <PolicyEditor draft={draft} lint={lint} isReadOnly={reason !== undefined} error={save.error} />
      {isDirty && meanwhile}
      <ProblemAlert error={isBehind(save.error) ? undefined : save.error} />
      <Group justify="flex-end">
        {name !== undefined && (
          <RemoveTemplate
            name={name}
            groups={stored.templates.groups
              .filter((group) => group.acl_policies.includes(name))
              .map((group) => group.name)}
            reason={reason}
            isRemoving={save.isPending}
            error={save.error}
            onRemove={() => store(undefined)}
          />
        )}
        <Button variant="default" onClick={() => void leave()}>
          {isDirty ? 'Discard the changes' : 'Back'}
        </Button>
        <ReasonedButton
          reason={
            reason ??
            (isDirty ? whyNotSaved(draft, lint) : 'Nothing is changed.') ??
            (isTaken ? 'Another template has this name.' : undefined)
          }
          loading={save.isPending}
          onClick={() => store(draft.value)}
        >
          Save the template
        </ReasonedButton>
      </Group>
    </Stack>
  );
}
