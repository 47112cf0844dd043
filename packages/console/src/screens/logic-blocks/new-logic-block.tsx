import { Button, Group, Skeleton, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { keyOfKind } from '../../components/item-versions.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import type { Schema } from '../../components/schema-form/schema.ts';
import { Screen } from '../../components/screen.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { useDraft } from '../../components/use-draft.ts';
import { schemasQuery } from '../config/queries.ts';
import { BlockForm } from './block-form.tsx';
import { textMember, whyNoForm } from './steps.ts';
import { TryDraft } from './try-draft.tsx';

const kind = 'logicblock';

export function NewLogicBlock() {
  const { env } = usePlace();
  const schemas = useQuery(schemasQuery);
  return (
    <Screen
      title="New logic block"
      intro="Steps are done in their order. A later step reads what an earlier one gave, as steps.id."
    >
      <Loaded query={schemas} skeleton={<Skeleton height={420} />}>
        {(all) => {
          const schema = all.get(kind);
          return schema === undefined ? <NotFound /> : <Maker key={env} schema={schema} />;
        }}
      </Loaded>
    </Screen>
  );
}

const blank: object = { name: '', steps: [] };

function Maker({ schema }: { readonly schema: Schema }) {
  const { org, env, readOnlyReason } = usePlace();
  const navigate = useNavigate();
  const draft = useDraft(blank, whyNoForm);
  const name = textMember(draft.value, 'name');
  const make = useMutation({
    mutationFn: () => call('makeConfigItem', { params: { kind }, body: { name, content: draft.value } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [keyOfKind(kind)] });
      await navigate({ to: '/o/$org/$env/logic-blocks/$name', params: { org, env, name }, ignoreBlocker: true });
    },
  });
  const problem = make.error instanceof ApiProblem ? make.error : undefined;
  const isDirty = draft.mistake !== undefined || JSON.stringify(draft.value) !== JSON.stringify(blank);
  const mistake = draft.mistake === undefined ? undefined : 'The JSON has a mistake.';
  const reason = readOnlyReason ?? mistake ?? (name === '' ? 'The logic block needs a name.' : undefined);
  return (
    <Stack>
      <UnsavedGuard isDirty={isDirty && !make.isSuccess} />
      <TextInput
        label="Name of the logic block"
        description="A lower-case letter and then a to z, 0 to 9, _ and -. It stays as it is."
        value={name}
        error={problem?.errorAt('/name') ?? problem?.errorAt('/content/name')}
        readOnly={draft.mistake !== undefined || readOnlyReason !== undefined}
        required
        maw={360}
        onChange={({ currentTarget: { value } }) => draft.setValue({ ...draft.value, name: value })}
      />
      <BlockForm
        kind={kind}
        schema={schema}
        draft={draft}
        isReadOnly={readOnlyReason !== undefined}
        problem={problem}
        at="/content"
      />
      <ProblemAlert error={make.error} />
      <Group justify="flex-end">
        <Button component={Link} to={`/o/${org}/${env}/logic-blocks`} variant="default">
          Cancel
        </Button>
        <ReasonedButton reason={reason} loading={make.isPending} onClick={() => make.mutate()}>
          Save the logic block
        </ReasonedButton>
      </Group>
      {env === 'test' && <TryDraft draft={draft} />}
    </Stack>
  );
}
