import { Button, CloseButton, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { counted } from '../../../components/words/counted.ts';
import type { Field } from '../../entities/definition.ts';
import type { OnList } from '../../records/on-list.ts';
import { FieldInput } from '../form/field-input.tsx';
import { controlOf, type Input, inputOf, type RecordValues, sendableOf } from '../form/inputs.ts';
import classes from '../record.module.css';
import { fieldsOf, tagOf } from '../record-queries.ts';
import { forgetRecords } from '../save-record.ts';
import { BatchOutcome } from './batch-outcome.tsx';
import { useBatchRun } from './use-batch-run.ts';

interface Props {
  readonly list: OnList;
  readonly onClose: () => void;
}

const noNames: ReadonlyMap<string, string> = new Map();

/** Gives fields of the selected records one value. A record that was changed since it was selected is refused. */
export function BulkEdit({ list, onClose }: Props) {
  const { actor, entity } = list;
  const [selected] = useState(() => [...list.selection.values()]);
  const fields = fieldsOf(entity.create).filter((field) => controlOf(field) !== 'computed');
  const [inputs, setInputs] = useState<ReadonlyMap<string, Input>>(new Map());
  const run = useBatchRun(actor, () => {
    void forgetRecords(actor, entity.entityName);
    list.refresh();
  });
  const chosen = fields.filter(({ name }) => inputs.has(name));
  const { data, mistakes } = valuesOf(chosen, inputs);
  if (run.total > 0) return <BatchOutcome run={run} done="changed" rows={selected} list={list} onClose={onClose} />;
  const set = (name: string, input: Input) => setInputs((before) => new Map(before).set(name, input));
  const operations = selected.map((row) => {
    const tag = tagOf(row);
    const if_match = tag === undefined ? {} : { if_match: tag };
    return { action: 'update' as const, entity: entity.entityName, id: row.id, data, ...if_match };
  });
  const reason = mistakes.size > 0 ? `Correct ${[...mistakes.keys()].join(', ')} first.` : undefined;
  return (
    <Stack>
      <Select
        label="Field to set"
        placeholder="Choose a field"
        searchable
        data={fields.filter(({ name }) => !inputs.has(name)).map(({ name }) => name)}
        value={null}
        onChange={(name) => {
          const field = fields.find((one) => one.name === name);
          if (field !== undefined) set(field.name, inputOf(field, undefined));
        }}
      />
      {chosen.map((field) => (
        <Group key={field.name} align="flex-start" wrap="nowrap">
          <div className={classes.grow}>
            <FieldInput
              actor={actor}
              field={field}
              input={inputs.get(field.name) ?? null}
              stored={undefined}
              names={noNames}
              isNew
              isReadOnly={false}
              error={mistakes.get(field.name)}
              onChange={(input) => set(field.name, input)}
            />
          </div>
          <CloseButton
            aria-label={`Leave ${field.name} as it is`}
            onClick={() => setInputs((before) => new Map([...before].filter(([name]) => name !== field.name)))}
          />
        </Group>
      ))}
      {chosen.length > 0 && (
        <Text size="sm" role="status">
          {chosen.map(({ name }) => effectOf(name, data[name])).join(' ')}
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <ReasonedButton
          reason={chosen.length === 0 ? 'Choose a field first.' : reason}
          onClick={() => run.start(operations)}
        >
          {`Change ${counted(selected.length, 'record')}`}
        </ReasonedButton>
      </Group>
    </Stack>
  );
}

function effectOf(name: string, value: unknown): string {
  return value === null ? `${name} will have no value.` : `${name} will be set.`;
}

function valuesOf(fields: readonly Field[], inputs: ReadonlyMap<string, Input>) {
  const data: Record<string, unknown> = {};
  const mistakes = new Map<string, string>();
  for (const field of fields) {
    const sendable = sendableOf(field, inputs.get(field.name) ?? null);
    if ('mistake' in sendable) mistakes.set(field.name, sendable.mistake);
    else data[field.name] = sendable.value;
  }
  return { data: data as RecordValues, mistakes };
}
