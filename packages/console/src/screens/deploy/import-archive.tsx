import { Alert, Button, Checkbox, FileInput, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { counted } from '../../components/words/counted.ts';
import { ChangeList } from './change-list.tsx';
import { kindNames } from './items.ts';
import { type Import, readAgain } from './queries.ts';

interface Choice {
  readonly file: File | null;
  readonly remove: boolean;
  readonly force: boolean;
}

/** Brings an archive into test, after it is shown what that changes there. */
export function ImportArchive() {
  const [choice, setChoice] = useState<Choice>({ file: null, remove: false, force: false });
  const { file, remove, force } = choice;
  const send = (base?: string) =>
    call('importConfig', {
      query: { env: 'test', remove, force, ...(base === undefined ? {} : { base }) },
      file: new Blob(file === null ? [] : [file], { type: 'application/x-tar' }),
    });
  const compare = useMutation({ mutationFn: () => send() });
  const apply = useMutation({ mutationFn: (base: string) => send(base), onSuccess: readAgain });
  // What was compared holds for that choice only.
  const choose = (next: Partial<Choice>) => {
    setChoice({ ...choice, ...next });
    compare.reset();
    apply.reset();
  };
  const compareAgain = () => {
    apply.reset();
    compare.mutate();
  };
  const isBehind = apply.error instanceof ApiProblem && apply.error.code === 'version_mismatch';
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="import">
      <Stack gap="sm">
        <Title order={2} id="import">
          Import into test
        </Title>
        <Text size="sm">An archive as the export makes it. Nothing changes before you have seen what it changes.</Text>
        <ChoiceFields choice={choice} onChoose={choose} />
        {file !== null && compare.data === undefined && (
          <Button variant="default" w="fit-content" loading={compare.isPending} onClick={() => compare.mutate()}>
            Compare with test
          </Button>
        )}
        <ProblemAlert error={compare.error} />
        {compare.data !== undefined && apply.data === undefined && (
          <Comparison
            compared={compare.data}
            isRemoving={remove}
            isPending={apply.isPending}
            onApply={() => apply.mutate(compare.data.base)}
          />
        )}
        <ProblemAlert error={apply.error} />
        {isBehind && (
          <Button variant="default" w="fit-content" loading={compare.isPending} onClick={compareAgain}>
            Compare again
          </Button>
        )}
        <div role="status">{apply.data !== undefined && <Applied imported={apply.data} />}</div>
      </Stack>
    </Paper>
  );
}

interface FieldsProps {
  readonly choice: Choice;
  readonly onChoose: (next: Partial<Choice>) => void;
}

function ChoiceFields({ choice: { file, remove, force }, onChoose }: FieldsProps) {
  return (
    <>
      <FileInput
        label="Archive"
        description="A .tar file of at most 32 MB, not compressed."
        placeholder="Choose a file"
        styles={{ placeholder: { color: 'var(--mantine-color-dimmed)' } }}
        accept=".tar,application/x-tar"
        clearable
        value={file}
        onChange={(chosen) => onChoose({ file: chosen })}
        clearButtonProps={{ 'aria-label': 'Clear the file' }}
      />
      <Checkbox
        label="Remove items of test that are not in the archive"
        description="With an entity its records in test are removed."
        checked={remove}
        onChange={({ currentTarget: { checked } }) => onChoose({ remove: checked })}
      />
      <Checkbox
        label="Accept definitions that records of test contradict"
        description="These records stay, and must meet the rules when they are next written."
        checked={force}
        onChange={({ currentTarget: { checked } }) => onChoose({ force: checked })}
      />
    </>
  );
}

interface ComparisonProps {
  readonly compared: Import;
  readonly isRemoving: boolean;
  readonly isPending: boolean;
  readonly onApply: () => void;
}

function ProblemList({ problems }: { readonly problems: NonNullable<Import['problems']> }) {
  return (
    <List size="sm">
      {problems.map(({ kind, name, code, message }) => (
        <List.Item key={`${kind} ${name} ${code} ${message}`}>
          {kind === undefined ? '' : `${kindNames[kind]} ${name ?? ''}: `}
          <Sentence text={message} />
        </List.Item>
      ))}
    </List>
  );
}

function Comparison({
  compared: { items, problems = [], refused = [], warnings = [] },
  isRemoving,
  isPending,
  onApply,
}: ComparisonProps) {
  if (items.length === 0 && problems.length === 0 && refused.length === 0)
    return <Alert color="teal" title="Test has this configuration already. Nothing would change." />;
  const removals = isRemoving ? items.filter(({ change }) => change === 'removed').length : 0;
  return (
    <section aria-label="What the import changes in test">
      <Stack gap="sm">
        {problems.length > 0 && (
          <Alert color="red" title="The import would be refused">
            <ProblemList problems={problems} />
          </Alert>
        )}
        {warnings.length > 0 && (
          <Alert color="yellow" title="This may not mean what it says">
            <List size="sm">
              {warnings.map((warning) => (
                <List.Item key={warning}>
                  <Sentence text={warning} />
                </List.Item>
              ))}
            </List>
          </Alert>
        )}
        {refused.length > 0 && (
          <Alert color="yellow" title="These items stay as they are">
            <ProblemList problems={refused} />
          </Alert>
        )}
        <ChangeList items={items} />
        {problems.length === 0 && items.length > 0 && (
          <Group>
            <Button color={removals > 0 ? 'red' : 'cyan'} loading={isPending} onClick={onApply}>
              {removals > 0 ? `Apply to test and remove ${removals}` : 'Apply to test'}
            </Button>
            <Text size="sm" c="dimmed">
              {counted(items.length, 'item changes', 'items change')}, all or none.
            </Text>
          </Group>
        )}
      </Stack>
    </section>
  );
}

function Applied({ imported: { items, warnings = [] } }: { readonly imported: Import }) {
  return (
    <Alert
      color="teal"
      title={`Test has the configuration of the archive: ${counted(items.length, 'item has', 'items have')} changed.`}
    >
      {warnings.map((warning) => (
        <div key={warning}>
          <Sentence text={warning} />
        </div>
      ))}
    </Alert>
  );
}
