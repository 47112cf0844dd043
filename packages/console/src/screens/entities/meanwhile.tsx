import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { type Definition, definitionOf, versionOf } from './definition.ts';
import classes from './entities.module.css';
import { mergeDefinitions } from './merge-definitions.ts';
import type { Entity } from './queries.ts';

interface Props {
  /** What the draft was made from. */
  readonly base: Definition;
  readonly draft: Definition;
  /** The stored value. */
  readonly current: Entity;
  readonly onTake: () => void;
  readonly onMerge: (draft: Definition) => void;
}

/** What another builder has changed while a draft was edited, and how to go on. */
export function Meanwhile({ base, draft, current, onTake, onMerge }: Props) {
  const { definition, theirs, conflicts } = mergeDefinitions(base, draft, definitionOf(current.create));
  const version = versionOf(current.create);
  return (
    <Alert
      color="yellow"
      classNames={{ title: classes.alertTitle ?? '' }}
      title={`The definition was changed meanwhile: version ${version} is live.`}
    >
      <Stack gap="xs">
        {theirs.length > 0 && <Sentences label="Changed meanwhile" sentences={theirs} />}
        {conflicts.length > 0 && <Sentences label="Changed by both; a merge keeps yours" sentences={conflicts} />}
        <Group gap="xs">
          <Button size="compact-sm" onClick={() => onMerge(definition)}>
            Merge my changes into version {version}
          </Button>
          <Button variant="default" size="compact-sm" onClick={onTake}>
            Show the current definition
          </Button>
        </Group>
        <Text size="xs">
          A merge saves nothing yet: it shows the draft and what it would do. Showing the current definition drops the
          draft.
        </Text>
      </Stack>
    </Alert>
  );
}

function Sentences({ label, sentences }: { readonly label: string; readonly sentences: readonly string[] }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <List size="sm" aria-label={label}>
        {sentences.map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
    </div>
  );
}
