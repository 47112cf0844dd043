import { Badge, Button, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { callApp } from '../../api/app.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ChooseWorkspace } from '../../components/choose-workspace.tsx';
import { CopyId } from '../../components/copy-id.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { AdminsInProduction } from '../../components/org/hidden-values.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { useDraft } from '../../components/use-draft.ts';
import { AttachedTab } from './attached-tab.tsx';
import { isBehind, Meanwhile } from './meanwhile.tsx';
import { checkPolicy } from './policy-draft.ts';
import { PolicyEditor, useLint, whyNotSaved } from './policy-editor.tsx';
import { accessKey, countOf, type Policy, policyQuery } from './queries.ts';
import { RemovePolicy } from './remove-policy.tsx';
import { useBuilder, useReadOnlyReason } from './use-builder.ts';

/** One policy of a workspace: its statements, and who holds it. */
export function PolicyScreen() {
  const { workspace } = usePlace();
  const { policy: id } = useParams({ from: '/o/$org/$env/policies/$policy' });
  if (workspace === undefined)
    return (
      <Screen title="Policy">
        <ChooseWorkspace>A policy belongs to a workspace.</ChooseWorkspace>
      </Screen>
    );
  return <PolicyOf key={`${workspace} ${id}`} workspace={workspace} id={id} />;
}

interface Named {
  readonly workspace: string;
  readonly id: string;
}

function PolicyOf({ workspace, id }: Named) {
  const { env } = usePlace();
  const { tab = 'statements' } = useSearch({ from: '/o/$org/$env/policies/$policy' });
  const navigate = useNavigate();
  const policy = useQuery(policyQuery({ env, workspace }, id));
  return (
    <Screen
      title={policy.data?.name ?? 'Policy'}
      intro={policy.data && <Facts policy={policy.data} />}
      actions={policy.data && <RemovePolicy policy={policy.data} />}
    >
      <Loaded query={policy} skeleton={<Skeleton height={420} />}>
        {(data) => (
          <Tabs
            value={tab}
            keepMounted={false}
            onChange={(chosen) =>
              void navigate({
                to: '.',
                search: chosen === null || chosen === 'statements' ? {} : { tab: chosen },
              })
            }
          >
            <Tabs.List mb="md">
              <Tabs.Tab value="statements">Statements</Tabs.Tab>
              <Tabs.Tab value="held">Held by</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="statements">
              <AdminsInProduction what="the statements of policies">
                <StatementsTab policy={data} workspace={workspace} />
              </AdminsInProduction>
            </Tabs.Panel>
            <Tabs.Panel value="held">
              <AttachedTab policy={data} workspace={workspace} />
            </Tabs.Panel>
          </Tabs>
        )}
      </Loaded>
    </Screen>
  );
}

function Facts({ policy: { id, members, groups, is_of_platform } }: { readonly policy: Policy }) {
  return (
    <Group gap="xs" component="span">
      <span>
        Held by {members === 0 ? 'no' : countOf(members)} {members === 1 ? 'member' : 'members'} directly and by{' '}
        {groups === 0 ? 'no' : countOf(groups)} {groups === 1 ? 'group' : 'groups'}
      </span>
      {is_of_platform && <Badge variant="dot">by the platform</Badge>}
      <CopyId value={id} what="policy id" />
    </Group>
  );
}

interface StatementsProps {
  readonly policy: Policy;
  readonly workspace: string;
}

/** Goes on from the policy as it was when the draft began; another author’s version does not take its place unasked. */
function StatementsTab({ policy, workspace }: StatementsProps) {
  const { env } = usePlace();
  const [base, setBase] = useState(policy);
  const take = async () =>
    setBase(await queryClient.fetchQuery({ ...policyQuery({ env, workspace }, policy.id), staleTime: 0 }));
  return <Editor key={base.version} base={base} latest={policy} onTake={take} />;
}

interface EditorProps {
  readonly base: Policy;
  /** As it is stored now. */
  readonly latest: Policy;
  /** Goes on from the stored policy. */
  readonly onTake: () => Promise<void>;
}

function Editor({ base, latest, onTake }: EditorProps) {
  const readOnlyReason = useReadOnlyReason();
  const { statement: shown } = useSearch({ from: '/o/$org/$env/policies/$policy' });
  const actor = useBuilder();
  const stored = { name: base.name, statements: base.statements };
  const draft = useDraft(stored, checkPolicy);
  const lint = useLint(draft.value.statements);
  const isDirty = draft.mistake !== undefined || JSON.stringify(draft.value) !== JSON.stringify(stored);
  const save = useMutation({
    mutationFn: async (version: number) => {
      if (actor === undefined) return;
      await callApp(actor, 'PUT', `/update/aclpolicy/${base.id}`, {
        headers: { 'If-Match': `"${version}"` },
        body: draft.value,
      });
    },
    onSuccess: async () => {
      await onTake();
      await queryClient.invalidateQueries({ queryKey: [accessKey] });
    },
    onError: async (error) => {
      if (isBehind(error)) await queryClient.invalidateQueries({ queryKey: [accessKey, 'policy'] });
    },
  });
  // Beside Save, where the choice is made; above the statements where nothing is to be saved.
  const meanwhile = latest.version > base.version && (
    <Meanwhile
      title="The policy was changed meanwhile."
      stored={{ name: latest.name, statements: latest.statements }}
      isDirty={isDirty}
      error={save.error}
      isSaving={save.isPending}
      onTake={() => void onTake()}
      onOverwrite={() => save.mutate(latest.version)}
    />
  );
  return (
    <Stack>
      <UnsavedGuard isDirty={isDirty} />
      {!isDirty && meanwhile}
      <PolicyEditor
        draft={draft}
        lint={lint}
        isReadOnly={readOnlyReason !== undefined}
        error={save.error}
        shown={shown}
      />
      {isDirty && meanwhile}
      <ProblemAlert error={isBehind(save.error) ? undefined : save.error} shownAtFields={['/name']} />
      {isDirty && (
        <Group justify="flex-end">
          <Text size="sm" c="dimmed">
            {concerned(base)}
          </Text>
          <Button variant="default" onClick={() => draft.reset(stored)}>
            Discard the changes
          </Button>
          <ReasonedButton
            reason={whyNotSaved(draft, lint)}
            loading={save.isPending}
            onClick={() => save.mutate(base.version)}
          >
            Save
          </ReasonedButton>
        </Group>
      )}
    </Stack>
  );
}

function concerned({ members, groups }: Policy): string {
  if (members + groups === 0) return 'No member holds the policy yet.';
  return 'The change applies at once to everyone who holds the policy.';
}
