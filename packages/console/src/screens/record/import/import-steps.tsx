import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { type Definition, definitionOf, isRequired } from '../../entities/definition.ts';
import type { OnList } from '../../records/on-list.ts';
import { ColumnMapping } from './column-mapping.tsx';
import { type ImportFile, importedFields, type Mapping, mappingFor } from './import-file.ts';
import { ImportOutcome } from './import-outcome.tsx';
import { checkImport, type Import, type ImportResult } from './import-run.ts';
import { RowErrorTable } from './row-error-table.tsx';

interface Props {
  readonly list: OnList;
  readonly file: ImportFile;
  readonly onBusy: (isBusy: boolean) => void;
  readonly onClose: () => void;
}

/** Columns to fields, then what the platform would make of the rows, then the import itself. */
export function ImportSteps({ list, file, onBusy, onClose }: Props) {
  const { actor, entity } = list;
  const definition = definitionOf(entity.create);
  const indexes = definition.UniqueIndexes ?? [];
  const fields = importedFields(definition.UpdateParams ?? []);
  const [mapping, setMapping] = useState<Mapping>(() => mappingFor(file.columns, fields));
  const [upsert, setUpsert] = useState<string>();
  const [isStarted, setIsStarted] = useState(false);
  const wanted = { actor, entity: entity.entityName, file, mapping, upsert };
  const { check, checked, abort } = useCheck(wanted, onBusy);
  if (isStarted)
    return (
      <ImportOutcome wanted={wanted} failing={check.data?.failed ?? 0} list={list} onBusy={onBusy} onClose={onClose} />
    );
  const mapped = new Set(mapping.values());
  const missing = fields.filter((field) => isRequired(field) && field.default === undefined && !mapped.has(field.name));
  const isAborted = check.error instanceof DOMException;
  return (
    <Stack>
      <ColumnMapping
        file={file}
        fields={fields}
        mapping={mapping}
        isReadOnly={check.isPending}
        onChange={(changed) => {
          setMapping(changed);
          check.reset();
        }}
      />
      {indexes.length > 0 && (
        <UpsertChoice
          indexes={indexes}
          value={upsert}
          isReadOnly={check.isPending}
          onChange={(name) => {
            setUpsert(name);
            check.reset();
          }}
        />
      )}
      {missing.length > 0 && upsert === undefined && (
        <Text size="sm">
          No column goes to {missing.map(({ name }) => name).join(', ')}, which every record needs: all rows would be
          refused.
        </Text>
      )}
      {check.isPending && (
        <Text size="sm" role="status">
          {checked === 0 ? 'Checking the file…' : `Checked ${checked} of ${file.rows.length} rows…`}
        </Text>
      )}
      {!isAborted && <ProblemAlert error={check.error} />}
      {check.data !== undefined && <Checked result={check.data} file={file} />}
      <Group justify="flex-end">
        {check.isPending ? (
          <Button variant="default" onClick={abort}>
            Cancel
          </Button>
        ) : (
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        )}
        <ReasonedButton
          variant={check.data === undefined ? 'filled' : 'default'}
          reason={mapping.size === 0 ? 'Let a column go to a field first.' : undefined}
          loading={check.isPending}
          onClick={() => check.mutate()}
        >
          Check the file
        </ReasonedButton>
        {check.data !== undefined && (
          <ReasonedButton reason={whyNot(check.data)} onClick={() => setIsStarted(true)}>
            {rowsToImport(check.data)}
          </ReasonedButton>
        )}
      </Group>
    </Stack>
  );
}

interface UpsertProps {
  readonly indexes: NonNullable<Definition['UniqueIndexes']>;
  readonly value: string | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (index: string | undefined) => void;
}

function UpsertChoice({ indexes, value, isReadOnly, onChange }: UpsertProps) {
  return (
    <Select
      label="Rows whose record is there already"
      description="Found by a unique index of the entity"
      data={[
        { value: '', label: 'Always make a new record' },
        ...indexes.map(({ indexName, fields }) => ({
          value: indexName,
          label: `Update the record with the same ${fields.join(', ')}`,
        })),
      ]}
      value={value ?? ''}
      allowDeselect={false}
      readOnly={isReadOnly}
      onChange={(name) => onChange(name === '' || name === null ? undefined : name)}
    />
  );
}

function useCheck(wanted: Import, onBusy: (isBusy: boolean) => void) {
  const [checked, setChecked] = useState(0);
  const aborter = useRef<AbortController>(undefined);
  const check = useMutation({
    mutationFn: () => {
      aborter.current = new AbortController();
      setChecked(0);
      return checkImport(wanted, setChecked, aborter.current.signal);
    },
    onMutate: () => onBusy(true),
    onSettled: () => onBusy(false),
  });
  return { check, checked, abort: () => aborter.current?.abort() };
}

function rowsToImport({ created, updated }: ImportResult): string {
  return created + updated === 1 ? 'Import 1 row' : `Import ${created + updated} rows`;
}

function whyNot({ created, updated, error }: ImportResult): string | undefined {
  if (error !== undefined) return 'The platform cannot read the whole file.';
  return created + updated === 0 ? 'No row would be accepted.' : undefined;
}

function Checked({ result, file }: { readonly result: ImportResult; readonly file: ImportFile }) {
  const { rows, created, updated, failed, errors, ignored, error } = result;
  return (
    <Stack gap="xs" component="section" aria-label="Result of the check">
      <Text size="sm" role="status">
        Nothing is written yet. Of {rows} rows {created} would be created, {updated} would update a record, and {failed}{' '}
        would be refused.
      </Text>
      {ignored.length > 0 && <Text size="sm">Set by the platform, and ignored: {ignored.join(', ')}.</Text>}
      {error !== undefined && (
        <Text size="sm" c="red" role="alert">
          {error.message}
        </Text>
      )}
      <RowErrorTable file={file} errors={errors} failed={failed} />
    </Stack>
  );
}
