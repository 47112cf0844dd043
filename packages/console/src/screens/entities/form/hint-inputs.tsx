import { NumberInput, Select, TagsInput, TextInput } from '@mantine/core';
import { type Field, withHints } from '../definition.ts';

export interface FieldProps {
  readonly field: Field;
  readonly isReadOnly: boolean;
  /** The faults of a member of the field, by its name. */
  readonly errorAt: (hint: string) => string | undefined;
  readonly onChange: (field: Field) => void;
}

/** Hints that are stored without `validate` and then not held to. */
function withCheck(field: Field, hints: Parameters<typeof withHints>[1]): Field {
  return withHints(field, field.validate === true ? hints : { validate: true, required: false, ...hints });
}

/** The bounds of a value that the type of the field has. */
export function BoundInputs(props: FieldProps) {
  switch (props.field.colType ?? 'string') {
    case 'number':
    case 'integer':
      return (
        <>
          <NumberHint {...props} hint="min" label="At least" />
          <NumberHint {...props} hint="max" label="At most" />
        </>
      );
    case 'string':
    case 'encrypted':
    case 'array':
      return (
        <>
          <NumberHint
            {...props}
            hint="minlength"
            label={props.field.colType === 'array' ? 'Elements, at least' : 'Characters, at least'}
          />
          <NumberHint
            {...props}
            hint="maxlength"
            label={props.field.colType === 'array' ? 'Elements, at most' : 'Characters, at most'}
          />
        </>
      );
    case 'enum':
      return <EnumInput {...props} />;
    default:
      return null;
  }
}

interface NumberHintProps extends FieldProps {
  readonly hint: 'min' | 'max' | 'minlength' | 'maxlength';
  readonly label: string;
}

function NumberHint({ field, isReadOnly, errorAt, onChange, hint, label }: NumberHintProps) {
  return (
    <NumberInput
      label={label}
      value={field[hint] ?? ''}
      error={errorAt(hint)}
      readOnly={isReadOnly}
      hideControls
      onChange={(value) => onChange(withCheck(field, { [hint]: typeof value === 'number' ? value : undefined }))}
    />
  );
}

function EnumInput({ field, isReadOnly, errorAt, onChange }: FieldProps) {
  return (
    <TagsInput
      label="Values"
      description="Enter adds a value"
      value={[...(field.enumValues ?? [])]}
      error={errorAt('enumValues')}
      readOnly={isReadOnly}
      onChange={(enumValues) => onChange(withHints(field, { enumValues }))}
    />
  );
}

/** The value of a new record that comes without one. */
export function DefaultInput({ field, isReadOnly, errorAt, onChange }: FieldProps) {
  const common = { label: 'Default', error: errorAt('default'), readOnly: isReadOnly };
  const set = (value: unknown) => onChange(withHints(field, { default: value }));
  switch (field.colType ?? 'string') {
    case 'formula':
    case 'autoincrement':
    case 'encrypted':
    case 'array':
    case 'json':
      return null;
    case 'number':
    case 'integer':
      return (
        <NumberInput
          {...common}
          hideControls
          value={typeof field.default === 'number' ? field.default : ''}
          onChange={(value) => set(typeof value === 'number' ? value : undefined)}
        />
      );
    case 'boolean':
    case 'enum': {
      const data = field.colType === 'enum' ? [...(field.enumValues ?? [])] : ['true', 'false'];
      return (
        <Select
          {...common}
          clearable
          data={data}
          value={field.default === undefined ? null : String(field.default)}
          onChange={(value) => set(value === null ? undefined : field.colType === 'enum' ? value : value === 'true')}
        />
      );
    }
    default:
      return (
        <TextInput
          {...common}
          value={typeof field.default === 'string' ? field.default : ''}
          onChange={({ currentTarget: { value } }) => set(value === '' ? undefined : value)}
        />
      );
  }
}
