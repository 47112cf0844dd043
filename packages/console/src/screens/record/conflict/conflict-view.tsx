import { Alert, Button, Group, Radio, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import type { Field } from '../../entities/definition.ts';
import { controlOf, type RecordValues } from '../form/inputs.ts';
import classes from '../record.module.css';
import type { StoredRecord } from '../record-queries.ts';
import { type Choice, chosenChanges, type Difference, differencesOf } from './differences.ts';
import { ShownValue } from './shown-value.tsx';

interface Props {
  readonly fields: readonly Field[];
  /** The record that the changes were made of. */
  readonly before: StoredRecord;
  readonly mine: RecordValues;
  /** The record as it is stored now. */
  readonly theirs: StoredRecord;
  readonly error: Error | null;
  readonly isSaving: boolean;
  readonly onSave: (changes: RecordValues) => void;
  readonly onBack: () => void;
}

/** What two people made of a record, field by field, and the choice for fields that both changed. */
export function ConflictView({ fields, before, mine, theirs, error, isSaving, onSave, onBack }: Props) {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const written = fields.filter((field) => controlOf(field) !== 'computed');
  const differences = differencesOf(written, { before: before.record, mine, theirs: theirs.record });
  const open = differences.filter(({ field, changedBy }) => changedBy === 'both' && choices[field.name] === undefined);
  const names = new Map([...before.names, ...theirs.names]);
  const changes = chosenChanges(differences, choices);
  const isEmpty = Object.keys(changes).length === 0;
  return (
    <Stack component="section" aria-label="Conflict">
      <Alert color="yellow" title="The record was changed while you edited it.">
        <Text size="sm">
          Nothing that you typed is lost. Choose for each field that you both changed; the others are merged.
        </Text>
      </Alert>
      <div className={classes.scroll}>
        <Table className={classes.differences} verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Field</Table.Th>
              <Table.Th>Before</Table.Th>
              <Table.Th>Stored now</Table.Th>
              <Table.Th>Yours</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differences.map((difference) => (
              <DifferenceRow
                key={difference.field.name}
                difference={difference}
                names={names}
                choice={choices[difference.field.name]}
                onChoose={(choice) => setChoices((chosen) => ({ ...chosen, [difference.field.name]: choice }))}
              />
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {differences.length === 0 && (
        <Text size="sm">What is stored now is what you wanted. There is nothing to save.</Text>
      )}
      <ProblemAlert error={error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onBack}>
          Back to the form
        </Button>
        <ReasonedButton
          reason={open.length === 0 ? undefined : `Choose for ${open.map(({ field }) => field.name).join(', ')} first.`}
          loading={isSaving}
          onClick={() => onSave(changes)}
        >
          {isEmpty ? 'Take what is stored' : 'Save what was chosen'}
        </ReasonedButton>
      </Group>
    </Stack>
  );
}

interface RowProps {
  readonly difference: Difference;
  readonly names: ReadonlyMap<string, string>;
  readonly choice: Choice | undefined;
  readonly onChoose: (choice: Choice) => void;
}

function DifferenceRow({ difference, names, choice, onChoose }: RowProps) {
  const { field, before, theirs, mine, changedBy } = difference;
  const shown = (value: unknown) => <ShownValue field={field} value={value} names={names} />;
  if (changedBy !== 'both')
    return (
      <Table.Tr>
        <Table.Th scope="row">{field.name}</Table.Th>
        <Table.Td>{shown(before)}</Table.Td>
        <Table.Td>{changedBy === 'them' ? shown(theirs) : <Text size="sm">as before</Text>}</Table.Td>
        <Table.Td>{changedBy === 'me' ? shown(mine) : <Text size="sm">not changed</Text>}</Table.Td>
      </Table.Tr>
    );
  const radio = (of: Choice, value: unknown) => (
    <Radio
      name={`choice of ${field.name}`}
      checked={choice === of}
      label={shown(value)}
      aria-label={`${field.name}: ${of === 'mine' ? 'yours' : 'stored now'}`}
      onChange={() => onChoose(of)}
    />
  );
  return (
    <Table.Tr>
      <Table.Th scope="row">{field.name}</Table.Th>
      <Table.Td>{shown(before)}</Table.Td>
      <Table.Td>{radio('theirs', theirs)}</Table.Td>
      <Table.Td>{radio('mine', mine)}</Table.Td>
    </Table.Tr>
  );
}
