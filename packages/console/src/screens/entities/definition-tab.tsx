import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { LineSkeletons } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { useDraft } from '../../components/use-draft.ts';
import { changeFrom, checkDefinition, type Definition, definitionOf, versionOf } from './definition.ts';
import { EditorPanes } from './editor-panes.tsx';
import classes from './entities.module.css';
import { consentMissing, Force, Impact, needsForce, noConsent } from './impact.tsx';
import { type Entity, entityQuery, type Plan } from './queries.ts';

/** The definition, edited as a form and as JSON, with what a change would do before it is made. */
export function DefinitionTab({ entity }: { readonly entity: Entity }) {
  const { env } = usePlace();
  // What the draft was made from. A version that another builder makes meanwhile does not take its place unasked.
  const [base, setBase] = useState(entity);
  const latest = versionOf(entity.create);
  return (
    <Editor
      key={`${env} ${versionOf(base.create)}`}
      base={base}
      latest={latest}
      onTake={async () =>
        setBase(await queryClient.fetchQuery({ ...entityQuery(env, entity.entityName), staleTime: 0 }))
      }
    />
  );
}

interface EditorProps {
  readonly base: Entity;
  /** The version that is stored now. */
  readonly latest: number;
  /** Goes on from the stored definition. */
  readonly onTake: () => Promise<void>;
}

function Editor({ base, latest, onTake }: EditorProps) {
  const { readOnlyReason } = usePlace();
  const stored = definitionOf(base.create);
  const version = versionOf(base.create);
  const draft = useDraft(stored, checkDefinition);
  const isDirty = draft.mistake !== undefined || JSON.stringify(draft.value) !== JSON.stringify(stored);
  const plan = usePlan({
    stored,
    version,
    definition: draft.value,
    isWanted: isDirty && draft.mistake === undefined,
  });
  const problem = plan.error instanceof ApiProblem ? plan.error : undefined;
  return (
    <Stack>
      <UnsavedGuard isDirty={isDirty} />
      {latest > version && (
        <Alert
          color="yellow"
          classNames={{ title: classes.alertTitle ?? '' }}
          title={`The definition was changed meanwhile: version ${latest} is live.`}
        >
          <Button variant="default" size="compact-sm" onClick={() => void onTake()}>
            {isDirty ? 'Drop my changes and show it' : 'Show it'}
          </Button>
        </Alert>
      )}
      <EditorPanes draft={draft} stored={stored} isReadOnly={readOnlyReason !== undefined} problem={problem} />
      {isDirty && draft.mistake === undefined && (
        <SaveBar
          entity={base.entityName}
          plan={plan}
          body={changeFrom(stored, draft.value)}
          version={version}
          onDiscard={() => draft.setValue(stored)}
          onSaved={onTake}
        />
      )}
    </Stack>
  );
}

const typingMilliseconds = 400;

interface Planning {
  readonly stored: Definition;
  readonly version: number;
  readonly definition: Definition;
  readonly isWanted: boolean;
}

/** What the server would do by the draft, asked a moment after the last key. */
function usePlan({ stored, version, definition, isWanted }: Planning) {
  const [settled] = useDebouncedValue(definition, typingMilliseconds);
  const name = stored.entityName;
  const isCurrent = settled === definition;
  const query = useQuery({
    queryKey: ['entities', 'plan', name, version, JSON.stringify(settled)],
    queryFn: async ({ signal }) => {
      const reply = await call('changeApi', {
        params: { apiname: `create-${name}` },
        query: { dry_run: true },
        headers: { 'If-Match': `"${version}"` },
        body: changeFrom(stored, settled),
        signal,
      });
      return reply as Plan;
    },
    enabled: isWanted,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return { data: query.data, error: query.error, isPlanning: !isCurrent || query.isFetching };
}

interface SaveBarProps {
  readonly entity: string;
  readonly plan: ReturnType<typeof usePlan>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly version: number;
  readonly onDiscard: () => void;
  readonly onSaved: () => Promise<void>;
}

function SaveBar({ entity, plan, body, version, onDiscard, onSaved }: SaveBarProps) {
  // What was agreed to is no consent to another change.
  const text = JSON.stringify(body);
  const [given, setGiven] = useState({ text, consent: noConsent });
  const consent = given.text === text ? given.consent : noConsent;
  const save = useMutation({
    mutationFn: (force: boolean) =>
      call('changeApi', {
        params: { apiname: `create-${entity}` },
        query: { force },
        headers: { 'If-Match': `"${version}"` },
        body,
      }),
    onSuccess: async () => {
      await onSaved();
      await queryClient.invalidateQueries({ queryKey: ['entities'] });
    },
  });
  const { data, error, isPlanning } = plan;
  return (
    <Paper withBorder p="md" component="section" aria-label="Impact of the change">
      <Stack gap="sm" aria-busy={isPlanning}>
        <Title order={2}>What the change does</Title>
        {error !== null && !isPlanning ? (
          <ProblemAlert error={error} />
        ) : data === undefined ? (
          <LineSkeletons lines={2} />
        ) : (
          <Impact plan={data} />
        )}
        {data !== undefined && error === null && (
          <Force
            plan={data}
            entity={entity}
            consent={consent}
            onChange={(agreed) => setGiven({ text, consent: agreed })}
          />
        )}
        <ProblemAlert error={save.error} />
        {[error, save.error].some(isBehind) && (
          <Text size="sm">
            The definition was changed since you opened it. Copy what you need from the JSON, then go on from there.{' '}
            <Button variant="default" size="compact-sm" onClick={() => void onSaved()}>
              Show the current definition
            </Button>
          </Text>
        )}
        <Group justify="flex-end">
          {isPlanning && (
            <Text size="sm" c="dimmed" role="status">
              Asking what it would do
            </Text>
          )}
          <Button variant="default" onClick={onDiscard}>
            Discard the changes
          </Button>
          <ReasonedButton
            reason={whyNot({ data, error, isPlanning }, entity, consent)}
            loading={save.isPending}
            onClick={() => save.mutate(data !== undefined && needsForce(data))}
          >
            Save
          </ReasonedButton>
        </Group>
      </Stack>
    </Paper>
  );
}

function isBehind(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'version_mismatch';
}

function whyNot({ data, error, isPlanning }: ReturnType<typeof usePlan>, entity: string, consent: typeof noConsent) {
  if (isPlanning || (data === undefined && error === null)) return 'The plan of the change is on its way.';
  if (error !== null || data === undefined) return 'The platform refuses the change. Correct what it says first.';
  if (data.plan.length === 0) return 'This changes nothing.';
  return consentMissing(data, entity, consent);
}
