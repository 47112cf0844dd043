import { type DefinitionFormProps, withHints } from '../definition.ts';
import { ListForm } from './list-form.tsx';
import { TextMember } from './text-member.tsx';

/** Conditions over several fields, each with the sentence that the app shows. */
export function ChecksForm({ definition, onChange, ...rest }: DefinitionFormProps) {
  return (
    <ListForm
      {...rest}
      title="Checks"
      noun="check"
      intro="A write that leaves a record without one of these conditions is refused with its sentence."
      pointerOf={(index) => `/checks/${index}`}
      items={definition.checks ?? []}
      blank={{ cel: '', message: '' }}
      onChange={(checks) => onChange(withHints(definition, { checks }))}
    >
      {(check, set, messages) => (
        <>
          <TextMember
            label="Condition in CEL over the fields"
            placeholder="ends > starts"
            value={check.cel}
            error={messages.get('cel')}
            isReadOnly={rest.isReadOnly}
            onChange={(value) => set({ ...check, cel: value })}
          />
          <TextMember
            label="Sentence that the app shows"
            placeholder="ends after it starts"
            value={check.message}
            error={messages.get('message')}
            isReadOnly={rest.isReadOnly}
            onChange={(value) => set({ ...check, message: value })}
          />
        </>
      )}
    </ListForm>
  );
}
