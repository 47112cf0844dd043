import { systemEntityNames } from '@freehold/contract/system-entities';
import {
  Autocomplete,
  Collapse,
  Group,
  SegmentedControl,
  Select,
  Stack,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { usePlace } from '../../api/session.ts';
import { ChevronIcon } from '../../components/icons.tsx';
import { blockNamesQuery } from '../config/queries.ts';
import { entitiesQuery } from '../entities/queries.ts';
import { callOfCell, cellVerbs } from '../who-can/cells.ts';
import { JsonInput } from './json-input.tsx';
import type { Ready, Simulation, Unready } from './simulation.ts';

interface Props {
  readonly simulation: Simulation;
  readonly simulated: Ready | Unready;
  readonly error: unknown;
  /** Whether the statements are a draft, which says itself who the user is. */
  readonly isDraft: boolean;
  readonly onChange: (change: Partial<Simulation>) => void;
}

/** What is to be done, to which record, and what else of the request is known. */
export function SimulationForm(props: Props) {
  return (
    <Stack gap="md">
      <What {...props} />
      <RecordPart {...props} />
      <Context {...props} />
    </Stack>
  );
}

function What({ simulation, onChange }: Props) {
  const isCall = simulation.method !== undefined;
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label="How the call is named"
        data={[
          { value: 'action', label: 'Action' },
          { value: 'call', label: 'Method and path' },
        ]}
        value={isCall ? 'call' : 'action'}
        onChange={(chosen) =>
          onChange(
            chosen === 'call'
              ? { method: 'GET', path: simulation.resource, action: undefined, resource: undefined }
              : { method: undefined, path: undefined },
          )
        }
      />
      {isCall ? (
        <Call simulation={simulation} onChange={onChange} />
      ) : (
        <Action simulation={simulation} onChange={onChange} />
      )}
    </Stack>
  );
}

type PartProps = Pick<Props, 'simulation' | 'onChange'>;

const methods = ['GET', 'POST', 'PUT', 'DELETE'];

function Call({ simulation: { method, path }, onChange }: PartProps) {
  return (
    <Group align="flex-start" gap="sm" wrap="nowrap">
      <Select
        label="Method"
        data={methods}
        value={method ?? null}
        allowDeselect={false}
        onChange={(chosen) => onChange({ method: chosen ?? 'GET' })}
        w="7rem"
      />
      <TextInput
        label="Path below the app"
        placeholder="/list/order"
        value={path ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ path: value === '' ? undefined : value })}
        style={{ flex: 1 }}
      />
    </Group>
  );
}

function Action({ simulation: { action = '', resource }, onChange }: PartProps) {
  const { env } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const entities = useQuery({ ...entitiesQuery(env), enabled: isOpen });
  const blocks = useQuery({ ...blockNamesQuery(env), enabled: isOpen });
  const verb = cellVerbs.find((one) => action.startsWith(one)) ?? 'get';
  const isRun = verb === 'run';
  const names = isRun
    ? (blocks.data ?? [])
    : [...new Set([...(entities.data?.items.map(({ name }) => name) ?? []), ...systemEntityNames])];
  const entity = action.slice(action === '' ? 0 : verb.length);
  const change = (to: typeof verb, name: string) => {
    // A resource that was typed stays. A resource that follows from the action changes with it.
    const isOwn = resource !== undefined && resource !== callOfCell(entity, verb).resource;
    const next = callOfCell(name, to);
    onChange({ action: next.action, ...(isOwn ? {} : { resource: name === '' ? undefined : next.resource }) });
  };
  return (
    <>
      <Group align="flex-start" gap="sm" wrap="nowrap">
        <Select
          label="Verb"
          data={[...cellVerbs]}
          value={verb}
          allowDeselect={false}
          onChange={(chosen) => change(cellVerbs.find((one) => one === chosen) ?? 'get', entity)}
          w="7rem"
        />
        <Autocomplete
          label={isRun ? 'Logic block' : 'Entity'}
          placeholder={isRun ? 'close-order' : 'order'}
          data={[...names]}
          limit={20}
          value={entity}
          onFocus={() => setIsOpen(true)}
          onChange={(name) => change(verb, name.trim())}
          style={{ flex: 1 }}
        />
      </Group>
      <TextInput
        label="Resource"
        description="The path of the call, which patterns of statements are matched with."
        placeholder="/item/order/…"
        value={resource ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ resource: value === '' ? undefined : value })}
      />
    </>
  );
}

function RecordPart({ simulation: { record, fields }, simulated, onChange }: Props) {
  const kind = record !== undefined ? 'stored' : fields !== undefined ? 'fields' : 'none';
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label="The record"
        data={[
          { value: 'none', label: 'No record' },
          { value: 'stored', label: 'Stored' },
          { value: 'fields', label: 'As typed' },
        ]}
        value={kind}
        onChange={(chosen) =>
          onChange({
            record: chosen === 'stored' ? '' : undefined,
            fields: chosen === 'fields' ? '{\n  \n}' : undefined,
          })
        }
      />
      {kind === 'stored' && (
        <TextInput
          label="Id of the record"
          description="It is read from the workspace. Production needs an admin of the org."
          value={record ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ record: value })}
        />
      )}
      {kind === 'fields' && (
        <JsonInput
          label="Fields of the record in JSON"
          text={fields ?? ''}
          mistake={mistakeOf(simulated, 'fields')}
          onChange={(text) => onChange({ fields: text })}
        />
      )}
    </Stack>
  );
}

function Context({ simulation, simulated, error, isDraft, onChange }: Props) {
  const { ip, time, origin, body, claims, userId, userEmail } = simulation;
  const [isOpen, setIsOpen] = useState(
    [ip, time, origin, body, claims, userId, userEmail].some((value) => value !== undefined),
  );
  const at = (pointer: string) => (error instanceof ApiProblem ? error.errorAt(pointer) : undefined);
  const field = (
    name: 'ip' | 'time' | 'origin' | 'userId' | 'userEmail',
    label: string,
    placeholder: string,
    pointer: string,
  ) => (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={simulation[name] ?? ''}
      error={at(pointer)}
      onChange={({ currentTarget: { value } }) => onChange({ [name]: value === '' ? undefined : value })}
    />
  );
  return (
    <div>
      <UnstyledButton aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)} fz="sm" fw={500}>
        <Group gap={6}>
          <ChevronIcon size={12} />
          Request context
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Stack gap="sm" pt="sm">
            {field('ip', 'IP address', '127.0.0.1', '/context/request/ip')}
            {field('time', 'Time in UTC', '2026-03-31T12:00:00Z', '/context/request/time')}
            {field('origin', 'Origin', 'https://app.example.com', '/context/request/origin')}
            <JsonInput
              label="Body in JSON"
              text={body ?? ''}
              mistake={mistakeOf(simulated, 'body')}
              onChange={(text) => onChange({ body: text === '' ? undefined : text })}
            />
            <JsonInput
              label="Further claims of the token in JSON"
              text={claims ?? ''}
              mistake={mistakeOf(simulated, 'claims')}
              onChange={(text) => onChange({ claims: text === '' ? undefined : text })}
            />
            {isDraft && field('userId', 'Id of the user', '', '/context/user/id')}
            {isDraft && field('userEmail', 'Email of the user', 'ann@example.com', '/context/user/email')}
          </Stack>
        )}
      </Collapse>
    </div>
  );
}

function mistakeOf(simulated: Ready | Unready, name: keyof Simulation): string | undefined {
  return 'mistakes' in simulated ? simulated.mistakes[name] : undefined;
}
