import type { InputError } from '@freehold/contract/problem';
import { Stack, Switch } from '@mantine/core';
import { useMemo } from 'react';
import { FormAndJson } from '../../components/form-and-json.tsx';
import { type Schema, withMember } from '../../components/schema-form/schema.ts';
import { MemberInputs } from '../../components/schema-form/schema-form.tsx';
import type { ContentFormProps } from '../config/content-form.tsx';
import { StepList } from './step-list.tsx';
import { stepKindsOf } from './step-schemas.ts';
import { blockWords } from './step-words.ts';
import { isSteps } from './steps.ts';

/** Where a call began, and what it is given: below the steps. */
const others = ['run_as', 'policies', 'schedule', 'hook', 'input_schema', 'returns'] as const;

/** A logic block as a form, its steps first of all, and as JSON. */
export function BlockForm({ schema, draft, isReadOnly, problem, at }: ContentFormProps) {
  const kinds = useMemo(() => stepKindsOf(schema), [schema]);
  const errors = useMemo(() => within(problem?.errors ?? [], at), [problem, at]);
  const { value } = draft;
  const steps: unknown = Reflect.get(value, 'steps');
  const isFixed = isReadOnly || draft.mistake !== undefined;
  const errorAt = (pointer: string) => errors.find((error) => error.pointer === pointer)?.message;
  const isWrongAt = (pointer: string) =>
    [...errors, ...draft.unread.list].some(
      (error) => error.pointer === pointer || error.pointer.startsWith(`${pointer}/`),
    );
  const members = (names: readonly string[]) => (
    <MemberInputs
      schema={only(schema, names)}
      value={value}
      pointer=""
      isReadOnly={isFixed}
      errorAt={errorAt}
      onChange={(changed) => draft.setValue(changed as object)}
    />
  );
  return (
    <FormAndJson draft={draft} label="Logic block in JSON" isReadOnly={isReadOnly} errors={errors} hasTemplates>
      <Stack>
        {members(['description'])}
        <StepList
          form={{ kinds, isReadOnly: isFixed, all: steps, errorAt, isWrongAt, List: StepList }}
          label="Steps"
          steps={isSteps(steps) ? steps : []}
          pointer="/steps"
          onChange={(changed) => draft.setValue({ ...value, steps: changed })}
        />
        <Switch
          label="Transaction"
          description="All writes are one commit at its end, or none. It does not wait, and sends nothing."
          checked={Reflect.get(value, 'transaction') === true}
          disabled={isFixed}
          error={errorAt('/transaction')}
          onChange={({ currentTarget: { checked } }) =>
            draft.setValue(withMember(value, 'transaction', checked ? true : undefined))
          }
        />
        {members(others)}
      </Stack>
    </FormAndJson>
  );
}

function only(schema: Schema, names: readonly string[]): Schema {
  const properties = Object.fromEntries(
    names.flatMap((name) => {
      const member = schema.properties?.[name];
      if (member === undefined) return [];
      const words = member.description ?? blockWords[name];
      return [[name, words === undefined ? member : { ...member, description: words }]];
    }),
  );
  return { ...schema, properties };
}

/** The faults of the content, by its own pointers. */
function within(errors: readonly InputError[], at: string): readonly InputError[] {
  return errors
    .filter(({ pointer }) => pointer.startsWith(at))
    .map((error) => ({ ...error, pointer: error.pointer.slice(at.length) }));
}
