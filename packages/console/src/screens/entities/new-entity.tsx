import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { useDraft } from '../../components/use-draft.ts';
import { checkDefinition, type Definition } from './definition.ts';
import { EditorPanes } from './editor-panes.tsx';

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
  const problem = define.error instanceof ApiProblem ? define.error : undefined;
  const isDirty = mistake !== undefined || JSON.stringify(definition) !== JSON.stringify(empty);
  const reason =
    readOnlyReason ??
    (mistake !== undefined
      ? 'The JSON has a mistake.'
      : definition.entityName === ''
        ? 'The entity needs a name.'
        : undefined);
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
