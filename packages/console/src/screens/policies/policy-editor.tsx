import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FormAndJson } from '../../components/form-and-json.tsx';
import { lazyPart } from '../../components/lazy.tsx';
import { LineSkeletons } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import type { Draft } from '../../components/use-draft.ts';
import { entitiesQuery } from '../entities/queries.ts';
import { findingsAt, type PolicyDraft } from './policy-draft.ts';
import { type Finding, lintQuery } from './queries.ts';
import { Findings, LintState } from './statements/findings.tsx';
import { StatementCard } from './statements/statement-card.tsx';
import { emptyStatement } from './statements/statement-form.ts';

const DraftSimulator = lazyPart(
  async () => (await import('../simulator/draft-simulator.tsx')).DraftSimulator,
  <LineSkeletons />,
);

const typingMilliseconds = 400;

export interface Lint {
  readonly findings: readonly Finding[];
  readonly isChecking: boolean;
  readonly error: Error | null;
}

/** The verdict of the platform on the statements, asked a moment after the last key. */
export function useLint(statements: readonly unknown[]): Lint {
  const { env } = usePlace();
  const [settled] = useDebouncedValue(statements, typingMilliseconds);
  const lint = useQuery(lintQuery(env, settled));
  const isChecking = settled !== statements || lint.isFetching;
  return { findings: lint.data?.findings ?? [], isChecking, error: lint.error };
}

/** Why a draft cannot be saved; undefined where it can. */
export function whyNotSaved(
  { mistake, value }: Draft<PolicyDraft>,
  { findings, isChecking }: Lint,
): string | undefined {
  if (mistake !== undefined) return 'The JSON has a mistake.';
  if (value.name.trim() === '') return 'The policy needs a name.';
  if (isChecking) return 'The statements are being checked.';
  if (findings.some(({ severity }) => severity === 'error'))
    return 'The platform would refuse it: correct the errors first.';
  return undefined;
}

interface Props {
  readonly draft: Draft<PolicyDraft>;
  readonly lint: Lint;
  readonly isReadOnly: boolean;
  /** Why the last save was refused. */
  readonly error: unknown;
  /** The place of the statement that is looked for, from 1. */
  readonly shown?: number | undefined;
  /** Whether no statement is open at first. What the fields of a statement offer is read once one is open. */
  readonly isClosed?: boolean;
}

/** A policy as cards of statements, beside its JSON. */
export function PolicyEditor({ draft, lint, isReadOnly, error, shown, isClosed = false }: Props) {
  const { value, mistake, setValue } = draft;
  const isFixed = isReadOnly || mistake !== undefined;
  const problem = error instanceof ApiProblem ? error : undefined;
  return (
    <Stack>
      <FormAndJson draft={draft} label="Policy in JSON" isReadOnly={isReadOnly}>
        <TextInput
          label="Name"
          value={value.name}
          error={problem?.errorAt('/name')}
          readOnly={isFixed}
          required
          maw={420}
          onChange={({ currentTarget: { value: name } }) => setValue({ ...value, name })}
        />
        <Statements
          key={shown}
          shown={shown}
          statements={value.statements}
          findings={lint.findings}
          isClosed={isClosed}
          isReadOnly={isFixed}
          onChange={(statements) => setValue({ ...value, statements })}
        />
        <LintState isChecking={lint.isChecking} isClean={lint.findings.length === 0 && lint.error === null} />
        <ProblemAlert error={lint.error} />
      </FormAndJson>
      <Trial statements={value.statements} />
    </Stack>
  );
}

/** What the statements as they are typed decide, without saving them. */
function Trial({ statements }: { readonly statements: readonly unknown[] }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Stack component="section" aria-label="Trial of the statements">
      <Button variant="default" w="fit-content" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        Try these statements
      </Button>
      {isOpen && <DraftSimulator statements={statements} />}
    </Stack>
  );
}

interface StatementsProps {
  readonly shown: number | undefined;
  readonly statements: readonly unknown[];
  readonly findings: readonly Finding[];
  readonly isClosed: boolean;
  readonly isReadOnly: boolean;
  readonly onChange: (statements: readonly unknown[]) => void;
}

function Statements({ shown, statements, findings, isClosed, isReadOnly, onChange }: StatementsProps) {
  const { env } = usePlace();
  const first = isClosed ? undefined : 0;
  const [open, setOpen] = useState<number | undefined>(shown === undefined ? first : shown - 1);
  const { data } = useQuery({ ...entitiesQuery(env), enabled: open !== undefined });
  const entities = (data?.items ?? []).map(({ name }) => name);
  const add = (
    <Button
      variant="default"
      w="fit-content"
      onClick={() => {
        setOpen(statements.length);
        onChange([...statements, emptyStatement]);
      }}
    >
      Add statement
    </Button>
  );
  if (statements.length === 0)
    return (
      <EmptyState title="No statements" {...(isReadOnly ? {} : { action: add })}>
        A statement allows or denies actions. Without one the policy changes nothing.
      </EmptyState>
    );
  return (
    <Stack gap="xs" component="section" aria-label="Statements">
      <Findings findings={findings.filter(({ pointer }) => pointer === '/statements')} />
      {shown !== undefined && shown > statements.length && (
        <Text size="sm" role="status">
          The policy has no statement {shown} any more.
        </Text>
      )}
      {statements.map((statement, index) => (
        <StatementCard
          // The place of a statement is what it is known by: its name is optional.
          // biome-ignore lint/suspicious/noArrayIndexKey: the same
          key={index}
          statement={statement}
          number={index + 1}
          isReadOnly={isReadOnly}
          isOpen={open === index}
          isMarked={shown === index + 1}
          findings={findingsAt(findings, `/statements/${index}`)}
          entities={entities}
          onToggle={() => setOpen(open === index ? undefined : index)}
          onChange={(changed) => onChange(statements.with(index, changed))}
          onRemove={() => {
            setOpen(undefined);
            onChange(statements.toSpliced(index, 1));
          }}
          onDuplicate={() => {
            setOpen(index + 1);
            onChange(statements.toSpliced(index + 1, 0, withoutName(statement)));
          }}
        />
      ))}
      {!isReadOnly && (
        <Group justify="space-between">
          {add}
          <Text size="sm" c="dimmed">
            {statements.length} of at most 50 statements
          </Text>
        </Group>
      )}
    </Stack>
  );
}

/** A name is unique in its policy. */
function withoutName(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null) return statement;
  return Object.fromEntries(Object.entries(statement).filter(([name]) => name !== 'Sid'));
}
