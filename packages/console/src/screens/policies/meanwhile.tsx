import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { useFocusOnRefusal } from '../../components/refusal/use-focus-on-refusal.ts';
import type { PolicyDraft } from './policy-draft.ts';

/** Whether a save was refused because another author was faster. */
export function isBehind(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'version_mismatch';
}

interface Props {
  readonly title: string;
  /** The stored value; undefined if it was removed. */
  readonly stored: PolicyDraft | undefined;
  readonly isDirty: boolean;
  /** Why the last save was refused. */
  readonly error: unknown;
  readonly isSaving: boolean;
  /** Goes on from what is stored. */
  readonly onTake: () => void;
  readonly onOverwrite: () => void;
}

/** Another author was faster: what is stored now, and the choice between it and the draft. */
export function Meanwhile({ title, stored, isDirty, error, isSaving, onTake, onOverwrite }: Props) {
  const [isShown, setIsShown] = useState(false);
  const alert = useFocusOnRefusal(isBehind(error) ? error : undefined);
  return (
    <Alert ref={alert} tabIndex={-1} color="yellow" role="alert" title={title}>
      <Stack gap="xs" align="flex-start">
        {isDirty && (
          <Text size="sm">What you typed is still here. Compare it with what is stored, then choose one.</Text>
        )}
        <Group gap="xs">
          {isDirty && (
            <Button variant="default" size="compact-sm" aria-expanded={isShown} onClick={() => setIsShown(!isShown)}>
              {isShown ? 'Hide what is stored' : 'Show what is stored'}
            </Button>
          )}
          <Button variant="default" size="compact-sm" onClick={onTake}>
            {isDirty ? 'Drop my changes' : 'Show what is stored'}
          </Button>
          {isDirty && (
            <Button variant="default" size="compact-sm" loading={isSaving} onClick={onOverwrite}>
              Save mine over it
            </Button>
          )}
        </Group>
        {isShown && (
          <Code block w="100%" mah={320}>
            {stored === undefined ? 'It was deleted.' : JSON.stringify(stored, null, 2)}
          </Code>
        )}
      </Stack>
    </Alert>
  );
}
