import { Text } from '@mantine/core';
import type { ApiProblem } from '../../api/problem.ts';
import { FormAndJson } from '../../components/form-and-json.tsx';
import type { Draft } from '../../components/use-draft.ts';
import type { Definition } from './definition.ts';
import { ChecksForm } from './form/checks-form.tsx';
import { FieldsForm } from './form/fields-form.tsx';
import { IndexForms } from './form/index-forms.tsx';
import { ViewsForm } from './form/views-form.tsx';

interface Props {
  readonly draft: Draft<Definition>;
  readonly stored: Definition | undefined;
  readonly isReadOnly: boolean;
  readonly problem: ApiProblem | undefined;
}

/** The form and the JSON of a definition. */
export function EditorPanes({ draft, stored, isReadOnly, problem }: Props) {
  const form = {
    definition: draft.value,
    isReadOnly: isReadOnly || draft.mistake !== undefined,
    problem,
    onChange: draft.setValue,
  };
  return (
    <FormAndJson draft={draft} label="Definition in JSON" isReadOnly={isReadOnly} errors={problem?.errors}>
      <FieldsForm {...form} stored={stored} />
      <ChecksForm {...form} />
      <IndexForms {...form} />
      <ViewsForm {...form} />
      <Text size="sm" c="dimmed">
        Key templates are edited in the JSON.
      </Text>
    </FormAndJson>
  );
}
