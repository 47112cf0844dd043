import { Button, Group, Paper, Stack, TextInput, Title } from '@mantine/core';
import type { ApiProblem } from '../../api/problem.ts';
import type { Check, Definition } from './definition.ts';
import { messagesAt } from './fields-form.tsx';

interface Props {
  readonly definition: Definition;
  readonly isReadOnly: boolean;
  readonly problem: ApiProblem | undefined;
  readonly onChange: (definition: Definition) => void;
}

/** Conditions over several fields, each with the sentence that the app shows. */
export function ChecksForm({ definition, isReadOnly, problem, onChange }: Props) {
  const checks = definition.checks ?? [];
  const set = (changed: readonly Check[]) => {
    const { checks: _, ...rest } = definition;
    onChange(changed.length === 0 ? rest : { ...rest, checks: changed });
  };
  return (
    <Stack gap="xs" component="section" aria-label="Checks">
      <Title order={2}>Checks</Title>
      {checks.map((check, index) => {
        const messages = messagesAt(problem, `/checks/${index}`);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a check is known by its place while it is typed
          <Paper key={index} withBorder p="sm">
            <Stack gap="xs">
              <TextInput
                label="Condition in CEL over the fields"
                placeholder="ends > starts"
                value={check.cel}
                error={messages.get('cel') ?? messages.get('')}
                readOnly={isReadOnly}
                onChange={({ currentTarget: { value } }) => set(checks.with(index, { ...check, cel: value }))}
              />
              <TextInput
                label="Sentence that the app shows"
                placeholder="ends after it starts"
                value={check.message}
                error={messages.get('message')}
                readOnly={isReadOnly}
                onChange={({ currentTarget: { value } }) => set(checks.with(index, { ...check, message: value }))}
              />
              {!isReadOnly && (
                <Group>
                  <Button
                    variant="subtle"
                    color="red"
                    size="compact-sm"
                    onClick={() => set(checks.toSpliced(index, 1))}
                  >
                    Remove check
                  </Button>
                </Group>
              )}
            </Stack>
          </Paper>
        );
      })}
      {!isReadOnly && (
        <Button variant="default" w="fit-content" onClick={() => set([...checks, { cel: '', message: '' }])}>
          Add check
        </Button>
      )}
    </Stack>
  );
}
