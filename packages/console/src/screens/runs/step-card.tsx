import { Badge, Collapse, Group, Paper, Stack, Text, UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ChevronIcon } from '../../components/icons.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import { duration } from './run-words.ts';
import classes from './runs.module.css';

export interface ShownStep {
  readonly path: string;
  readonly id: string;
  readonly type: string;
  readonly ms: number;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly log?: { readonly lines: readonly string[]; readonly left_out?: number | undefined } | undefined;
  readonly error?: { readonly code: string; readonly message?: string | undefined } | undefined;
}

interface Props {
  readonly step: ShownStep;
  /** Beside its name, such as its state. */
  readonly badges?: ReactNode;
  /** What may be done with it. */
  readonly action?: ReactNode;
  /** What else is known of it. */
  readonly facts?: ReactNode;
}

/** A step that was done: what it took and gave is shown once it is opened; an error, and what was written before it, at once. */
export function StepCard({ step, badges, action, facts }: Props) {
  const { path, id, type, ms, input, output, log, error } = step;
  const [isOpen, setIsOpen] = useState(log !== undefined && error !== undefined);
  const hasMore = input !== undefined || output !== undefined || log !== undefined || facts !== undefined;
  const head = (
    <Group gap="xs" wrap="wrap">
      <Text span size="sm" className={classes.place}>
        {placeOf(path)}
      </Text>
      <Text span size="sm" fw={500}>
        {id}
      </Text>
      <Text span size="sm" c="dimmed">
        {type}, {duration(ms)}
        {log !== undefined && `, ${linesOf(log.lines.length)} of log`}
      </Text>
      {badges}
      {error !== undefined && (
        <Badge variant="light" color="red">
          {error.code}
        </Badge>
      )}
      {hasMore && (
        <span className={classes.chevron} {...(isOpen ? { 'data-open': true } : {})}>
          <ChevronIcon size={12} />
        </span>
      )}
    </Group>
  );
  return (
    <Paper withBorder ml={(path.split('.').length - 1) * 12} component="li">
      <Group className={classes.head} justify="space-between" wrap="nowrap">
        {hasMore ? (
          <UnstyledButton className={classes.toggle} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {head}
          </UnstyledButton>
        ) : (
          head
        )}
        {action}
      </Group>
      {error?.message !== undefined && (
        <Text size="sm" c="red" px="sm" pb="xs">
          {error.message}
        </Text>
      )}
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Stack gap="xs" px="sm" pb="sm">
            {facts}
            {log !== undefined && <StepLog id={id} log={log} />}
            {input !== undefined && <Labelled label={`Input of ${id}`} title="Input" value={input} />}
            {output !== undefined && <Labelled label={`Output of ${id}`} title="Output" value={output} />}
          </Stack>
        )}
      </Collapse>
    </Paper>
  );
}

function linesOf(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}

/** The console output of a script. */
function StepLog({
  id,
  log: { lines, left_out = 0 },
}: {
  readonly id: string;
  readonly log: NonNullable<ShownStep['log']>;
}) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={2}>
        Log
      </Text>
      <ol className={classes.log} aria-label={`Log of ${id}`}>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change, and may be alike
          <li key={index}>{line}</li>
        ))}
      </ol>
      {left_out > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {linesOf(left_out)} more {left_out === 1 ? 'was' : 'were'} not kept.
        </Text>
      )}
    </div>
  );
}

export function Labelled({
  label,
  title,
  value,
}: {
  readonly label: string;
  readonly title: string;
  readonly value: unknown;
}) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={2}>
        {title}
      </Text>
      <JsonBlock label={label} value={value} />
    </div>
  );
}

/** `0002.0000` as a person counts: `3.1`. Behind an `e` stand the steps after an error. */
function placeOf(path: string): string {
  return path
    .split('.')
    .map((place) => (place === 'e' ? place : Number(place) + 1))
    .join('.');
}
