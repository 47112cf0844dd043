import type { entitiesApi } from '@freehold/contract/management/entities';
import type { ReplyOf } from '@freehold/contract/route';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { type Draft, useDraft } from '../../components/use-draft.ts';
import { checkDefinition, type Definition } from './definition.ts';
import { EditorPanes } from './editor-panes.tsx';
import { useDryRun } from './use-dry-run.ts';

type PlannedEntity = ReplyOf<typeof entitiesApi.defineEntity>;

const empty: Definition = { entityName: '', UpdateParams: [{ name: 'name', validate: true, maxlength: 80 }] };

/** Defines an entity. Its API is served when it is saved. */
export function NewEntity() {
  const { org, env, readOnlyReason } = usePlace();
  const navigate = useNavigate();
  const draft = useDraft(empty, checkDefinition);
  const { value: definition, mistake, setValue: setDefinition } = draft;
  const define = useMutation({
    mutationFn: () =>
      call('defineEntity', { params: { apiname: `create-${definition.entityName}` }, body: definition }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['entities'] });
      await navigate({
        to: '/o/$org/$env/entities/$entity',
        params: { org, env, entity: definition.entityName },
        ignoreBlocker: true,
      });
    },
  });
  const isDirty = mistake !== undefined || JSON.stringify(definition) !== JSON.stringify(empty);
  const plan = useDryRun({
    key: ['new'],
    definition,
    isWanted:
      isDirty && mistake === undefined && readOnlyReason === undefined && !define.isPending && !define.isSuccess,
    ask: (body, signal) =>
      call('defineEntity', {
        // A draft may have a name that no address takes; the definition names the entity.
        params: { apiname: 'create-new' },
        query: { dry_run: true },
        body,
        signal,
      }),
  });
  const problem = plan.error instanceof ApiProblem ? plan.error : undefined;
  const reason = readOnlyReason ?? whyNot(draft, problem);
  return (
    <Screen title="New entity" intro="Describe what a record holds. You can change it later, with or without records.">
      <UnsavedGuard isDirty={isDirty && !define.isSuccess} />
      <Stack>
        <TextInput
          label="Name of the entity"
          description="In the singular, such as order: a to z, 0 to 9 and _"
          value={definition.entityName}
          error={problem?.errorAt('/entityName')}
          readOnly={mistake !== undefined}
          required
          maw={360}
          onChange={({ currentTarget: { value } }) => setDefinition({ ...definition, entityName: value })}
        />
        <EditorPanes draft={draft} stored={undefined} isReadOnly={readOnlyReason !== undefined} problem={problem} />
        {isDirty && mistake === undefined && <Verdict {...plan} />}
        <ProblemAlert error={define.error} />
        <Group justify="flex-end">
          <Button component={Link} to={`/o/${org}/${env}/entities`} variant="default">
            Cancel
          </Button>
          <ReasonedButton reason={reason} loading={define.isPending} onClick={() => define.mutate()}>
            Save the entity
          </ReasonedButton>
        </Group>
      </Stack>
    </Screen>
  );
}

function whyNot({ value, mistake }: Draft<Definition>, problem: ApiProblem | undefined): string | undefined {
  if (mistake !== undefined) return 'The JSON has a mistake.';
  if (value.entityName === '') return 'The entity needs a name.';
  return problem === undefined || problem.status === 0
    ? undefined
    : 'The platform refuses the definition. Correct what it says first.';
}

/** The verdict of the platform on the definition before it is saved. */
function Verdict({ data, error, isPlanning }: ReturnType<typeof useDryRun<PlannedEntity>>) {
  if (error !== null && !isPlanning) return <ProblemAlert error={error} shownAtFields={['/entityName']} />;
  return (
    <Stack gap={4} aria-busy={isPlanning}>
      <Text size="sm" c="dimmed" role="status">
        {isPlanning || data === undefined
          ? 'Checking the definition'
          : `It would be served as ${data.apis.join(', ')}.`}
      </Text>
      {!isPlanning &&
        (data?.warnings ?? []).map((warning) => (
          <Text key={warning} size="sm" c="dimmed">
            <Sentence text={warning} />
          </Text>
        ))}
    </Stack>
  );
}
