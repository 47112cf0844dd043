import type { ApiProblem } from '../../api/problem.ts';
import { FormAndJson } from '../../components/form-and-json.tsx';
import type { Schema } from '../../components/schema-form/schema.ts';
import { MemberInputs } from '../../components/schema-form/schema-form.tsx';
import type { Draft } from '../../components/use-draft.ts';
import { type Kind, kinds } from './kinds.ts';

export interface ContentFormProps {
  readonly kind: Kind;
  readonly schema: Schema;
  readonly draft: Draft<object>;
  readonly isReadOnly: boolean;
  readonly problem: ApiProblem | undefined;
  /** Where the content stands in the body of the call that was refused. */
  readonly at: '' | '/content';
}

/** The content of an item as a form that its schema makes, and as JSON. */
export function ContentForm({ kind, schema, draft, isReadOnly, problem, at }: ContentFormProps) {
  const { nameMember } = kinds[kind];
  const unreadAt = (pointer: string) => draft.unread.list.find((one) => one.pointer === pointer)?.mistake;
  return (
    <FormAndJson draft={draft} label="Content in JSON" isReadOnly={isReadOnly} hasTemplates={kind === 'event'}>
      <MemberInputs
        schema={schema}
        value={draft.value}
        pointer=""
        isReadOnly={isReadOnly || draft.mistake !== undefined}
        errorAt={(pointer) => unreadAt(pointer) ?? problem?.errorAt(`${at}${pointer}`)}
        without={new Set(nameMember === undefined ? [] : [nameMember])}
        onChange={(value) => draft.setValue(value as object)}
      />
    </FormAndJson>
  );
}
