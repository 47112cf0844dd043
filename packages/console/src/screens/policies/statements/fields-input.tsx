import { Button, Group, Stack, TagsInput, Text } from '@mantine/core';
import type { Finding } from '../queries.ts';
import { Findings } from './findings.tsx';
import { useFields } from './use-fields.ts';

interface Props {
  readonly fields: readonly string[] | undefined;
  readonly actions: readonly string[];
  readonly entities: readonly string[];
  readonly isReadOnly: boolean;
  readonly findings: readonly Finding[];
  readonly onChange: (fields: readonly string[] | undefined) => void;
}

/** The fields that a statement is limited to, if it is. */
export function FieldsInput({ fields, actions, entities, isReadOnly, findings, onChange }: Props) {
  const known = useFields(actions, entities);
  if (fields === undefined)
    return (
      <Group gap="xs">
        <Text size="sm" fw={500}>
          All fields
        </Text>
        {!isReadOnly && (
          <Button variant="default" size="compact-sm" onClick={() => onChange([])}>
            Limit to some fields
          </Button>
        )}
      </Group>
    );
  return (
    <Stack gap="xs">
      <TagsInput
        label="Fields"
        description="Names of fields, with * and ?. A ! before one excepts it; exceptions alone mean all others."
        data={known.flatMap(({ name }) => [name, `!${name}`])}
        value={[...fields]}
        readOnly={isReadOnly}
        error={findings.some(({ severity }) => severity === 'error')}
        onChange={onChange}
      />
      <Findings findings={findings} />
      {!isReadOnly && (
        <Button variant="default" size="compact-sm" w="fit-content" onClick={() => onChange(undefined)}>
          Not limited to fields
        </Button>
      )}
    </Stack>
  );
}
