import { Badge, Group, List, Text } from '@mantine/core';
import { formOf } from '../policies/statements/statement-form.ts';
import { summaryOf } from '../policies/statements/statement-summary.ts';
import type { Suggestion } from './queries.ts';

interface Props {
  readonly statements: readonly unknown[];
  /** What of them no recorded call used; left out where nothing is marked. */
  readonly unused?: Suggestion['unused'];
}

/** Statements in a line each, with what of them was not used. */
export function StatementLines({ statements, unused }: Props) {
  return (
    <List size="sm" listStyleType="none" spacing="xs" aria-label="Statements">
      {statements.map((statement, index) => {
        const form = formOf(statement);
        const mark = unused?.find((one) => one.index === index);
        return (
          // The place of a statement is what it is known by: its name is optional.
          // biome-ignore lint/suspicious/noArrayIndexKey: the same
          <List.Item key={index}>
            <Group gap={6}>
              <Text size="sm" fw={600} component="span">
                {form?.sid || `Statement ${index + 1}`}
              </Text>
              {mark !== undefined && (
                <Badge variant="dot" color="yellow" tt="none" size="sm">
                  {mark.whole ? 'not used' : 'partly not used'}
                </Badge>
              )}
            </Group>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {form === undefined ? JSON.stringify(statement) : summaryOf(form)}
            </Text>
            {mark !== undefined && !mark.whole && (
              <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                No recorded call used {mark.Action.join(', ')}.
              </Text>
            )}
          </List.Item>
        );
      })}
    </List>
  );
}
