import { systemEntityNames } from '@freehold/contract/system-entities';
import { Button, Collapse, Fieldset, Group, Select, Stack, TagsInput, Text } from '@mantine/core';
import { useState } from 'react';
import type { Finding } from '../queries.ts';
import { Findings } from './findings.tsx';
import { resourceKinds, resourceOf } from './resource-kinds.ts';
import { type Written, withValues } from './statement-form.ts';

interface Props {
  readonly resources: Written<string>;
  readonly entities: readonly string[];
  readonly isReadOnly: boolean;
  readonly findings: readonly Finding[];
  readonly onChange: (resources: Written<string>) => void;
}

/** The resources of a statement: typed as paths, or chosen by what they are. */
export function ResourceInput({ resources, entities, isReadOnly, findings, onChange }: Props) {
  const [isChoosing, setIsChoosing] = useState(false);
  const { values } = resources;
  const set = (patterns: readonly string[]) => onChange(withValues(resources, [...new Set(patterns)]));
  return (
    <Stack gap="xs">
      <TagsInput
        label="Resources"
        description="The path after /app/{org}; * crosses every /, and /list/* does not match /list. Usually * alone."
        value={[...values]}
        readOnly={isReadOnly}
        error={findings.some(({ severity }) => severity === 'error')}
        splitChars={[]}
        onChange={set}
      />
      <Findings findings={findings} />
      {!isReadOnly && (
        <Button
          variant="default"
          size="compact-sm"
          w="fit-content"
          aria-expanded={isChoosing}
          onClick={() => setIsChoosing(!isChoosing)}
        >
          Choose a resource
        </Button>
      )}
      <Collapse expanded={isChoosing}>
        {isChoosing && (
          <Chooser
            entities={entities}
            onChoose={(pattern) => {
              setIsChoosing(false);
              // The path that is added would say nothing beside the path that matches all.
              set([...values.filter((value) => value !== '*'), pattern]);
            }}
          />
        )}
      </Collapse>
    </Stack>
  );
}

interface ChooserProps {
  readonly entities: readonly string[];
  readonly onChoose: (pattern: string) => void;
}

function Chooser({ entities, onChoose }: ChooserProps) {
  const [name, setName] = useState('Everything');
  const [entity, setEntity] = useState<string | null>(null);
  const kind = resourceKinds.find((one) => one.name === name);
  if (kind === undefined) return null;
  const pattern = resourceOf(kind, entity ?? undefined);
  return (
    <Fieldset aria-label="Choose a resource">
      <Stack gap="xs">
        {' '}
        <Group gap="xs" align="flex-end">
          <Select
            label="What"
            data={resourceKinds.map((one) => one.name)}
            value={name}
            allowDeselect={false}
            onChange={(chosen) => setName(chosen ?? 'Everything')}
          />
          {kind.pattern.includes('{entity}') && (
            <Select
              label="Of the entity"
              placeholder="Any"
              data={[...entities, ...systemEntityNames]}
              value={entity}
              searchable
              clearable
              onChange={setEntity}
            />
          )}
          <Button size="sm" onClick={() => onChoose(pattern)}>
            Use {pattern}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {kind.about}
        </Text>
      </Stack>
    </Fieldset>
  );
}
