import { Button, Group, MultiSelect, Radio, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callApp } from '../../api/app.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ChooseWorkspace } from '../../components/choose-workspace.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { useDraft } from '../../components/use-draft.ts';
import { entitiesQuery } from '../entities/queries.ts';
import { checkPolicy, type PolicyDraft } from './policy-draft.ts';
import { PolicyEditor, useLint, whyNotSaved } from './policy-editor.tsx';
import { type Preset, presets } from './presets.ts';
import { accessKey } from './queries.ts';
import { templatesQuery } from './templates/templates.ts';
import { useBuilder, useReadOnlyReason } from './use-builder.ts';

const empty: PolicyDraft = { name: '', statements: [] };

/** A new policy of the chosen workspace, begun from a job or from nothing. */
export function NewPolicy() {
  const { workspace } = usePlace();
  return (
    <Screen title="New policy" intro="Begin with a job, then say exactly what its holders may do.">
      {workspace === undefined ? (
        <ChooseWorkspace>Each workspace has policies of its own.</ChooseWorkspace>
      ) : (
        <Editor key={workspace} />
      )}
    </Screen>
  );
}

function Editor() {
  const { org, env } = usePlace();
  const readOnlyReason = useReadOnlyReason();
  const actor = useBuilder();
  const navigate = useNavigate();
  const draft = useDraft(empty, checkPolicy);
  const lint = useLint(draft.value.statements);
  // The card of a statement remembers what is open in it, and other statements are other cards.
  const [started, setStarted] = useState(0);
  const save = useMutation({
    mutationFn: async () => {
      if (actor === undefined) return undefined;
      const { body } = await callApp(actor, 'POST', '/create/aclpolicy', { body: draft.value });
      return (body as { readonly id: string }).id;
    },
    onSuccess: async (id) => {
      await queryClient.invalidateQueries({ queryKey: [accessKey] });
      if (id !== undefined)
        await navigate({ to: '/o/$org/$env/policies/$policy', params: { org, env, policy: id }, ignoreBlocker: true });
    },
  });
  const isDirty = draft.mistake !== undefined || JSON.stringify(draft.value) !== JSON.stringify(empty);
  return (
    <Stack>
      <UnsavedGuard isDirty={isDirty && !save.isSuccess} />
      <StartChoice
        isReadOnly={readOnlyReason !== undefined || draft.mistake !== undefined}
        onChoose={(name, statements) => {
          setStarted(started + 1);
          draft.setValue({ name: draft.value.name || name, statements });
        }}
      />
      <PolicyEditor
        key={started}
        draft={draft}
        lint={lint}
        isReadOnly={readOnlyReason !== undefined}
        error={save.error}
      />
      <ProblemAlert error={save.error} shownAtFields={['/name']} />
      <Group justify="flex-end">
        <Button component={Link} to={`/o/${org}/${env}/policies`} variant="default">
          Cancel
        </Button>
        <ReasonedButton
          reason={readOnlyReason ?? whyNotSaved(draft, lint)}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          Save the policy
        </ReasonedButton>
      </Group>
    </Stack>
  );
}

interface NewPolicyStartProps {
  readonly isReadOnly: boolean;
  readonly onChoose: (name: string, statements: readonly unknown[]) => void;
}

/** Jobs to begin with: those of every app, and those that the org gives to new workspaces. */
function StartChoice({ isReadOnly, onChoose }: NewPolicyStartProps) {
  const { env } = usePlace();
  const { data } = useQuery(entitiesQuery(env));
  const templates = useQuery(templatesQuery(env));
  const [name, setName] = useState('Blank');
  const [about, setAbout] = useState<readonly string[]>([]);
  const jobs: readonly Preset[] = [
    ...presets,
    ...(templates.data?.templates.policies ?? []).map((template) => ({
      name: template.name,
      about: 'As new workspaces of the org get it.',
      statements: () => template.statements,
    })),
  ];
  const known = (data?.items ?? []).map((entity) => entity.name);
  const choose = (chosen: string, entities: readonly string[]) => {
    setName(chosen);
    setAbout(entities);
    const job = jobs.find((one) => one.name === chosen);
    const isNaming = job?.namesEntities === true && entities.length === 0;
    if (job !== undefined) onChoose(chosen === 'Blank' ? '' : chosen, job.statements(isNaming ? known : entities));
  };
  const job = jobs.find((one) => one.name === name);
  const placeholder = job?.namesEntities === true ? 'All that there are now' : 'All of them, access control included';
  const isPreset = presets.some((one) => one.name === name) && name !== 'Blank';
  return (
    <Stack gap="xs">
      <Radio.Group label="Begin with" value={name} onChange={(chosen) => choose(chosen, about)}>
        <Group gap="md" mt={4}>
          {jobs.map((job) => (
            <Radio
              key={job.name}
              value={job.name}
              label={job.name}
              disabled={isReadOnly || (job.namesEntities === true && known.length === 0)}
            />
          ))}
        </Group>
      </Radio.Group>
      <Text size="sm" c="dimmed">
        {job?.about}
        {data !== undefined && known.length === 0 && ' Roles that write name their entities: define one first.'}
      </Text>
      {isPreset && (
        <MultiSelect
          label="For the entities"
          placeholder={about.length === 0 ? placeholder : ''}
          data={known}
          value={[...about]}
          searchable
          clearable
          maw={420}
          disabled={isReadOnly}
          onChange={(entities) => choose(name, entities)}
        />
      )}
      <ProblemAlert error={templates.error} />
    </Stack>
  );
}
