import { Badge, Button, Group, Select, Stack, Text } from '@mantine/core';
import { conversionOf, type Field, isConvertible, withHints } from '../definition.ts';
import type { FieldProps } from './hint-inputs.tsx';
import { TextMember } from './text-member.tsx';

interface Props extends FieldProps {
  /** The field as it is stored; undefined of a new one. */
  readonly stored: Field | undefined;
}

/** The outcome of the records that stand, and of callers, when the field changes: a choice and its meaning for each. */
export function FieldMigration(props: Props) {
  const { stored, field, isReadOnly } = props;
  return (
    <Stack gap="sm">
      {field.renamedFrom !== undefined && (
        <Text size="sm" c="dimmed">
          Renames {field.renamedFrom}: values, indexes and policies stay, no record is written. Callers may use both
          names until the alias {field.renamedFrom} is removed.
        </Text>
      )}
      <Aliases {...props} />
      {stored !== undefined && isConvertible(stored, field) && !isReadOnly && <Conversion {...props} stored={stored} />}
      {typeof field.convert === 'object' && (
        <Text size="sm" c="dimmed">
          Its values were converted by <code>{field.convert.cel}</code>
        </Text>
      )}
      <Backfill {...props} />
    </Stack>
  );
}

function Aliases({ field, isReadOnly, onChange }: Props) {
  const { aliases = [] } = field;
  if (aliases.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label="Aliases">
      <Text size="sm">Callers may also use</Text>
      {aliases.map((alias) => (
        <Group key={alias} gap={4}>
          <Badge variant="light" tt="none">
            {alias}
          </Badge>
          {!isReadOnly && (
            <Button
              variant="subtle"
              size="compact-xs"
              aria-label={`Remove the alias ${alias}`}
              onClick={() => onChange({ ...field, aliases: aliases.filter((one) => one !== alias) })}
            >
              Remove this alias
            </Button>
          )}
        </Group>
      ))}
    </Group>
  );
}

const keep = 'Keep those that fit the new type';
const convert = 'Convert them by an expression';

/** A new type for a field of which records have values. */
function Conversion({ stored, field, errorAt, onChange }: Props & { readonly stored: Field }) {
  const { colType = 'string' } = field;
  const expression = typeof field.convert === 'string' ? field.convert : undefined;
  return (
    <>
      <Select
        label="Values that records have"
        description={
          expression === undefined
            ? 'Records whose values are of another type contradict the change, which then needs force.'
            : 'Every value is tried before the change is made. The value from before is kept for a rollback.'
        }
        data={[keep, convert]}
        value={expression === undefined ? keep : convert}
        allowDeselect={false}
        onChange={(choice) =>
          onChange(withHints(field, { convert: choice === convert ? conversionOf(stored, colType) : stored.convert }))
        }
      />
      {expression !== undefined && (
        <TextMember
          label="Converted by"
          description={`In CEL over ${stored.name} alone, as the ${stored.colType ?? 'string'} that it was`}
          value={expression}
          error={errorAt('convert')}
          isReadOnly={false}
          onChange={(value) => onChange({ ...field, convert: value })}
        />
      )}
    </>
  );
}

const stay = 'Stay without a value';
const fill = 'Get the value of an expression';

/** The values of records that stand without one. */
function Backfill({ stored, field, isReadOnly, errorAt, onChange }: Props) {
  const { backfill } = field;
  if (isReadOnly && backfill === undefined) return null;
  return (
    <>
      <Select
        label="Records without a value"
        description={
          backfill === undefined
            ? 'A new required field without an expression or a default is refused where there are records.'
            : 'A job writes it to them in the background; Indexes shows how far it is.'
        }
        data={[stay, fill]}
        value={backfill === undefined ? stay : fill}
        readOnly={isReadOnly}
        allowDeselect={false}
        onChange={(choice) =>
          onChange(withHints(field, { backfill: choice === fill ? (stored?.backfill ?? '') : undefined }))
        }
      />
      {backfill !== undefined && (
        <TextMember
          label="Backfill"
          description="In CEL over the other fields, such as minutes / 60.0"
          value={backfill}
          error={errorAt('backfill')}
          isReadOnly={isReadOnly}
          onChange={(value) => onChange({ ...field, backfill: value })}
        />
      )}
    </>
  );
}
