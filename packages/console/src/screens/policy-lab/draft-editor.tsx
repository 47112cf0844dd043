import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { type Draft, useDraft } from '../../components/use-draft.ts';
import { checkPolicy, type PolicyDraft } from '../policies/policy-draft.ts';
import { type Lint, PolicyEditor, useLint } from '../policies/policy-editor.tsx';
import type { Policy } from '../policies/queries.ts';
import { PrincipalsInput } from './principals-input.tsx';
import { Results } from './results.tsx';
import { SaveDraft } from './save-draft.tsx';
import { type DraftScope, forgetDraft, keepDraft, keptDraft, type Principal } from './stored-draft.ts';

const empty: PolicyDraft = { name: '', statements: [] };

interface Props {
  readonly workspace: string;
  /** The policy that the draft takes the place of; left out for a new one. */
  readonly stored?: Policy;
}

/** Edits a draft, and replays the recorded calls with it. The draft stays while the user looks at other screens. */
export function DraftEditor({ workspace, stored }: Props) {
  const { org, env } = usePlace();
  const place: DraftScope = { org, env, workspace, policy: stored?.id ?? 'new' };
  const [started, setStarted] = useState(0);
  const startOver = () => {
    forgetDraft(place);
    setStarted(started + 1);
  };
  return <Editor key={started} workspace={workspace} stored={stored} place={place} onStartOver={startOver} />;
}

interface EditorProps {
  readonly workspace: string;
  readonly stored: Policy | undefined;
  readonly place: DraftScope;
  readonly onStartOver: () => void;
}

function Editor({ workspace, stored, place, onStartOver }: EditorProps) {
  const { env } = usePlace();
  const [kept] = useState(() => keptDraft(place));
  const initial = stored === undefined ? empty : { name: stored.name, statements: stored.statements };
  const draft = useDraft(kept?.draft ?? initial, checkPolicy);
  const [principals, setPrincipals] = useState(kept?.principals ?? []);
  const lint = useLint(draft.value.statements);
  const [shown, setShown] = useState<number>();
  const isDirty = draft.mistake !== undefined || JSON.stringify(draft.value) !== JSON.stringify(initial);
  const body = {
    env,
    tenant_code: workspace,
    draft: {
      ...(stored === undefined ? {} : { policy_id: stored.id }),
      ...(draft.value.name.trim() === '' ? {} : { name: draft.value.name }),
      statements: [...draft.value.statements],
    },
    ...(stored === undefined ? { principals: principals.map(({ id }) => id) } : {}),
  };
  const replay = useMutation({ mutationFn: (request: typeof body) => call('replayAccess', { body: request }) });
  useKept(place, { isKept: isDirty || principals.length > 0, draft: draft.value, principals });
  const isPast = replay.data !== undefined && JSON.stringify(replay.variables) !== JSON.stringify(body);
  return (
    <Stack gap="lg">
      {stored === undefined && (
        <PrincipalsInput workspace={workspace} principals={principals} onChange={setPrincipals} />
      )}
      <PolicyEditor draft={draft} lint={lint} isReadOnly={false} error={replay.error} shown={shown} isClosed />
      <ProblemAlert error={replay.error} />
      <Group>
        <ReasonedButton
          reason={whyNotReplayed({ draft, lint, isHeld: stored !== undefined || principals.length > 0 })}
          loading={replay.isPending}
          onClick={() => replay.mutate(body)}
        >
          Replay the recorded calls
        </ReasonedButton>
        {isDirty && (
          <>
            <SaveDraft stored={stored} draft={draft} lint={lint} onSaved={onStartOver} />
            <Button variant="default" onClick={onStartOver}>
              {stored === undefined ? 'Start over' : 'Discard the changes'}
            </Button>
          </>
        )}
      </Group>
      {isPast && (
        <Text size="sm" role="status">
          The draft has changed since: replay again to see what it would do now.
        </Text>
      )}
      {replay.data !== undefined && (
        <Results replayed={replay.data} workspace={workspace} replaced={stored?.id} onStatement={setShown} />
      )}
    </Stack>
  );
}

interface SavedDraft {
  readonly isKept: boolean;
  readonly draft: PolicyDraft;
  readonly principals: readonly Principal[];
}

function useKept(place: DraftScope, { isKept, draft, principals }: SavedDraft): void {
  useEffect(() => {
    if (isKept) keepDraft(place, { draft, principals });
    else forgetDraft(place);
  });
}

interface DraftCheck {
  readonly draft: Draft<PolicyDraft>;
  readonly lint: Lint;
  readonly isHeld: boolean;
}

function whyNotReplayed({ draft, lint, isHeld }: DraftCheck): string | undefined {
  if (draft.mistake !== undefined) return 'The JSON has a mistake.';
  if (!isHeld) return 'Choose the members who would hold the new policy.';
  if (lint.findings.some(({ severity }) => severity === 'error')) return 'Correct the errors of the statements first.';
  return undefined;
}
