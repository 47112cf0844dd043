import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
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
import { Meanwhile } from './meanwhile.tsx';
import { type Entity, entityQuery, type Plan } from './queries.ts';
import { planKey, useDryRun } from './use-dry-run.ts';

/** The definition, edited as a form and as JSON, with what a change would do before it is made. */
export function DefinitionTab({ entity }: { readonly entity: Entity }) {
  const { env } = usePlace();
  // What the draft was made from. A version that another builder makes meanwhile does not take its place unasked.
  const [base, setBase] = useState<Base>({ entity });
  return (
    <Editor
      key={`${env} ${versionOf(base.entity.create)}`}
      base={base}
      current={entity}
      onTake={async () =>
        setBase({ entity: await queryClient.fetchQuery({ ...entityQuery(env, entity.entityName), staleTime: 0 }) })
      }
      onMerge={(draft) => setBase({ entity, draft })}
    />
  );
}

interface Base {
  readonly entity: Entity;
  /** What the builder has typed; what is stored if it is left out. */
  readonly draft?: Definition;
}

interface EditorProps {
  readonly base: Base;
  /** The entity as it is stored now. */
  readonly current: Entity;
  /** Goes on from the stored definition. */
  readonly onTake: () => Promise<void>;
  /** Goes on from the stored definition with a draft. */
  readonly onMerge: (draft: Definition) => void;
}

function Editor({ base: { entity, draft: initial }, current, onTake, onMerge }: EditorProps) {
  const { env, readOnlyReason } = usePlace();
  const stored = definitionOf(entity.create);
  const version = versionOf(entity.create);
  const draft = useDraft(initial ?? stored, checkDefinition);
  const isDirty = draft.mistake !== undefined || JSON.stringify(draft.value) !== JSON.stringify(stored);
  const plan = useDryRun({
    key: [stored.entityName, version],
    definition: draft.value,
    isWanted: isDirty && draft.mistake === undefined,
    ask: async (definition, signal) => {
      const params = { apiname: `create-${stored.entityName}` };
      const headers = { 'If-Match': `"${version}"` };
      const body = changeFrom(stored, definition);
      return (await call('changeApi', { params, query: { dry_run: true }, headers, body, signal })) as Plan;
    },
  });
  const problem = plan.error instanceof ApiProblem ? plan.error : undefined;
  const isBehind = isOvertaken(plan.error);
  useEffect(() => {
    if (isBehind) void queryClient.invalidateQueries({ queryKey: entityQuery(env, stored.entityName).queryKey });
  }, [isBehind, env, stored.entityName]);
  return (
    <Stack>
      <UnsavedGuard isDirty={isDirty} />
      {!isDirty && versionOf(current.create) > version && (
        <Alert
          color="yellow"
          classNames={{ title: classes.alertTitle ?? '' }}
          title={`The definition was changed meanwhile: version ${versionOf(current.create)} is live.`}
        >
          <Button variant="default" size="compact-sm" onClick={() => void onTake()}>
            Show it
          </Button>
        </Alert>
      )}
      <EditorPanes draft={draft} stored={stored} isReadOnly={readOnlyReason !== undefined} problem={problem} />
      {isDirty && draft.mistake === undefined && (
        <SaveBar
          entity={entity.entityName}
          plan={plan}
          body={changeFrom(stored, draft.value)}
          version={version}
          onDiscard={() => draft.reset(stored)}
          onSaved={onTake}
          meanwhile={
            versionOf(current.create) > version ? (
              <Meanwhile
                base={stored}
                draft={draft.value}
                current={current}
                onTake={() => void onTake()}
                onMerge={onMerge}
              />
            ) : undefined
          }
        />
      )}
    </Stack>
  );
}

interface SaveBarProps {
  readonly entity: string;
  readonly plan: Planned;
  readonly body: Readonly<Record<string, unknown>>;
  readonly version: number;
  readonly onDiscard: () => void;
  readonly onSaved: () => Promise<void>;
  /** The changes that another builder has made meanwhile, if there are any. */
  readonly meanwhile: ReactNode;
}

type Planned = ReturnType<typeof useDryRun<Plan>>;

function SaveBar({ entity, plan, body, version, onDiscard, onSaved, meanwhile }: SaveBarProps) {
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
    // What has changed since the plan was made is shown with the refusal. Another version refuses the plan as it refused the save.
    onError: async (error) => {
      await queryClient.invalidateQueries({ queryKey: ['entities'] });
      if (!isOvertaken(error)) await queryClient.invalidateQueries({ queryKey: [planKey] });
    },
  });
  const { data, error, isPlanning } = plan;
  const isRefused = error !== null && !isPlanning;
  // What is shown of the other change says all of it.
  const isToMerge = (refusal: unknown) => isOvertaken(refusal) && meanwhile !== undefined;
  return (
    <Paper withBorder p="md" component="section" aria-label="Impact of the change">
      <Stack gap="sm" aria-busy={isPlanning}>
        <Title order={2}>What the change does</Title>
        {isRefused ? (
          <ProblemAlert error={isToMerge(error) ? null : error} />
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
        {!isRefused && <ProblemAlert error={isToMerge(save.error) ? null : save.error} />}
        {meanwhile}
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
            reason={
              isOvertaken(save.error)
                ? 'The definition was changed meanwhile. Choose above how to go on.'
                : whyNot({ data, error, isPlanning }, entity, consent)
            }
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

/** Whether another builder was faster. */
function isOvertaken(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'version_mismatch';
}

function whyNot({ data, error, isPlanning }: Planned, entity: string, consent: typeof noConsent) {
  if (isPlanning || (data === undefined && error === null)) return 'The plan of the change is on its way.';
  if (error !== null || data === undefined) return 'The platform refuses the change. Correct what it says first.';
  if (data.plan.length === 0) return 'This changes nothing.';
  return consentMissing(data, entity, consent);
}
