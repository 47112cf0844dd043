import {
  Button,
  Code,
  Collapse,
  Group,
  Paper,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ChevronIcon } from '../../../components/icons.tsx';
import classes from '../policies.module.css';
import { findingsAt } from '../policy-draft.ts';
import type { Finding } from '../queries.ts';
import { ActionInput } from './action-input.tsx';
import { ConditionsForm } from './conditions-form.tsx';
import { FieldsInput } from './fields-input.tsx';
import { FindingCount, Findings } from './findings.tsx';
import { ResourceInput } from './resource-input.tsx';
import { formOf, type StatementForm, statementOf } from './statement-form.ts';
import { summaryOf } from './statement-summary.ts';

interface Props {
  readonly statement: unknown;
  /** Its place, from 1. */
  readonly number: number;
  readonly isReadOnly: boolean;
  readonly isOpen: boolean;
  /** Whether it is looked for: it is scrolled into view, marked, and has the focus. */
  readonly isMarked: boolean;
  /** With pointers below the statement. */
  readonly findings: readonly Finding[];
  /** The names of the org's entities. */
  readonly entities: readonly string[];
  readonly onToggle: () => void;
  readonly onChange: (statement: unknown) => void;
  readonly onRemove: () => void;
  readonly onDuplicate: () => void;
}

/** One statement. What the form cannot show of it is shown as JSON, and left as it is. */
export function StatementCard({
  statement,
  number,
  isReadOnly,
  isOpen,
  isMarked,
  findings,
  entities,
  onToggle,
  ...does
}: Props) {
  const form = formOf(statement);
  const head = useFound(isMarked);
  return (
    <Paper
      withBorder
      component="section"
      aria-label={`Statement ${number}`}
      className={classes.statement}
      data-effect={form?.effect}
      aria-current={isMarked ? 'true' : undefined}
    >
      <UnstyledButton ref={head} className={classes.head} aria-expanded={isOpen} onClick={onToggle}>
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <div className={classes.summary}>
            <Text component="span" fw={600}>
              {form?.sid || `Statement ${number}`}
            </Text>
            <Text component="span" size="sm" c="dimmed">
              {form === undefined ? 'Edited as JSON' : summaryOf(form)}
            </Text>
          </div>
          <Group gap={4} wrap="nowrap">
            <FindingCount findings={findings} />
            <ChevronIcon size={12} />
          </Group>
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Stack className={classes.details} gap="md">
            {form === undefined ? (
              <Unshown statement={statement} findings={findings} />
            ) : (
              <Parts
                form={form}
                isReadOnly={isReadOnly}
                findings={findings}
                entities={entities}
                onChange={(changed) => does.onChange(statementOf(changed))}
              />
            )}
            {!isReadOnly && (
              <Group gap="xs">
                <Button variant="default" size="compact-sm" onClick={does.onDuplicate}>
                  Duplicate
                </Button>
                <Button variant="subtle" color="red" size="compact-sm" onClick={does.onRemove}>
                  Remove statement
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </Collapse>
    </Paper>
  );
}

function useFound(isMarked: boolean) {
  const head = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isMarked) return;
    head.current?.scrollIntoView({ block: 'start' });
    head.current?.focus({ preventScroll: true });
  }, [isMarked]);
  return head;
}

function Unshown({ statement, findings }: { readonly statement: unknown; readonly findings: readonly Finding[] }) {
  return (
    <>
      <Text size="sm">The form cannot show this statement. Edit it in the JSON; here it stays as it is.</Text>
      <Code block mah={240}>
        {JSON.stringify(statement, null, 2)}
      </Code>
      <Findings findings={findings} />
    </>
  );
}

const modes = [
  { value: 'enforce', label: 'Enforce' },
  { value: 'report', label: 'Only report' },
];

const parts = ['Action', 'Resource', 'Condition', 'Fields'];

interface PartsProps {
  readonly form: StatementForm;
  readonly isReadOnly: boolean;
  readonly findings: readonly Finding[];
  readonly entities: readonly string[];
  readonly onChange: (form: StatementForm) => void;
}

function Parts({ form, isReadOnly, findings, entities, onChange }: PartsProps) {
  const part = (member: string) => ({ isReadOnly, entities, findings: findingsAt(findings, `/${member}`) });
  const ofWhole = findings.filter(({ pointer }) => !parts.includes(pointer.split('/')[1] ?? ''));
  return (
    <>
      <Group align="flex-end" gap="md">
        <SegmentedControl
          aria-label="Effect"
          data={['Allow', 'Deny']}
          value={form.effect}
          readOnly={isReadOnly}
          onChange={(effect) => onChange({ ...form, effect: effect === 'Deny' ? 'Deny' : 'Allow' })}
        />
        <SegmentedControl
          aria-label="Mode"
          data={modes}
          value={form.mode ?? 'enforce'}
          readOnly={isReadOnly}
          onChange={(mode) => onChange({ ...form, mode: mode === 'report' ? 'report' : undefined })}
        />
        <TextInput
          label="Name of the statement"
          placeholder="Optional"
          value={form.sid ?? ''}
          readOnly={isReadOnly}
          size="xs"
          onChange={({ currentTarget: { value } }) => onChange({ ...form, sid: value === '' ? undefined : value })}
        />
      </Group>
      {form.effect === 'Deny' && form.mode === undefined && (
        <Text size="sm" c="dimmed">
          A Deny that applies wins over every Allow. With fields it takes these fields away and denies nothing else.
        </Text>
      )}
      {form.mode === 'report' && (
        <Text size="sm" c="dimmed">
          It changes no answer. The calls to which it applies are recorded, with what it would have done, and shown in
          the policy lab.
        </Text>
      )}
      <Findings findings={ofWhole} />
      <ActionInput {...part('Action')} actions={form.actions} onChange={(actions) => onChange({ ...form, actions })} />
      <ResourceInput
        {...part('Resource')}
        resources={form.resources}
        onChange={(resources) => onChange({ ...form, resources })}
      />
      <ConditionsForm
        {...part('Condition')}
        actions={form.actions.values}
        terms={form.terms ?? []}
        onChange={(terms) => onChange({ ...form, terms: terms.length === 0 ? undefined : terms })}
      />
      <FieldsInput
        {...part('Fields')}
        actions={form.actions.values}
        fields={form.fields}
        onChange={(fields) => onChange({ ...form, fields })}
      />
    </>
  );
}
