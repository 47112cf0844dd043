import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { JsonBlock } from '../../components/json-block.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { useFocusOnRefusal } from '../../components/refusal/use-focus-on-refusal.ts';
import classes from './config.module.css';

interface Props<T> {
  readonly theirs: UseQueryResult<T>;
  /** What stands above the content, such as `This is stored now as version 3:`. */
  readonly reported: (theirs: T) => string;
  readonly contentOf: (theirs: T) => unknown;
  readonly onTheirs: (theirs: T) => void;
  readonly onMine: (theirs: T) => void;
}

/** Two builders changed the same: what the other one saved, and whose content is to hold. */
export function ConflictAlert<T>({ theirs, reported, contentOf, onTheirs, onMine }: Props<T>) {
  // Once it has all that it shows, so that its buttons are in sight too.
  const alert = useFocusOnRefusal(theirs.isPending ? undefined : theirs.status);
  return (
    <Alert
      ref={alert}
      tabIndex={-1}
      color="yellow"
      role="alert"
      classNames={{ title: classes.alertTitle ?? '' }}
      title="It was changed since you opened it. Nothing of yours is saved."
    >
      <Loaded query={theirs}>
        {(stored) => (
          <Stack gap="sm">
            <Text size="sm">{reported(stored)}</Text>
            <JsonBlock label="What is stored now" value={contentOf(stored)} />
            <Group gap="xs">
              <Button variant="default" size="compact-sm" onClick={() => onTheirs(stored)}>
                Drop my changes and go on from it
              </Button>
              <Button color="red" variant="light" size="compact-sm" onClick={() => onMine(stored)}>
                Save mine in its place
              </Button>
            </Group>
          </Stack>
        )}
      </Loaded>
    </Alert>
  );
}
