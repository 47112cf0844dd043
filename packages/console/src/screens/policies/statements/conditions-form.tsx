import { Button, Paper, Stack, Text } from '@mantine/core';
import classes from '../policies.module.css';
import { findingsAt, pointerOfTerm } from '../policy-draft.ts';
import type { Finding } from '../queries.ts';
import { keyGroups } from './condition-keys.ts';
import { ConditionTerm } from './condition-term.tsx';
import { Findings } from './findings.tsx';
import type { Term } from './statement-form.ts';
import { useFields } from './use-fields.ts';

interface Props {
  readonly terms: readonly Term[];
  readonly actions: readonly string[];
  readonly entities: readonly string[];
  readonly isReadOnly: boolean;
  readonly findings: readonly Finding[];
  readonly onChange: (terms: readonly Term[]) => void;
}

/** It is in the statement at once, which is refused until the condition is whole: without it the statement would always apply. */
const started: Term = { operator: 'StringEquals', key: '', values: [], isList: true };

/** The conditions of a statement, all of which must hold. */
export function ConditionsForm({ terms, actions, entities, isReadOnly, findings, onChange }: Props) {
  const groups = keyGroups(useFields(actions, entities));
  const isTaken = (term: Term, at: number) =>
    terms.some(({ operator, key }, index) => index !== at && operator === term.operator && key === term.key);
  const ofTerms = terms.map(({ operator, key }) => findingsAt(findings, pointerOfTerm(operator, key)));
  const shown = new Set(ofTerms.flat().map(({ message }) => message));
  return (
    <Stack gap="xs" component="section" aria-label="Conditions">
      <Text size="sm" fw={500}>
        {terms.length === 0 ? 'No conditions: it always applies' : 'Conditions, all of which must hold'}
      </Text>
      {terms.map((term, index) => (
        <Paper key={`${term.operator} ${term.key}`} withBorder className={classes.term}>
          <ConditionTerm
            term={term}
            groups={groups}
            isReadOnly={isReadOnly}
            isTaken={(changed) => isTaken(changed, index)}
            onChange={(changed) => onChange(terms.with(index, changed))}
            onRemove={() => onChange(terms.toSpliced(index, 1))}
          />
          <Findings findings={ofTerms[index] ?? []} />
        </Paper>
      ))}
      <Findings findings={findings.filter(({ message }) => !shown.has(message))} />
      {!isReadOnly && terms.every(({ key }) => key !== '') && (
        <Button variant="default" size="compact-sm" w="fit-content" onClick={() => onChange([...terms, started])}>
          Add condition
        </Button>
      )}
    </Stack>
  );
}
