import { Alert, Group, List, Text } from '@mantine/core';
import { ApiProblem } from '../api/problem.ts';
import { CopyId } from './copy-id.tsx';
import { Sentence } from './sentence.tsx';

interface Props {
  readonly error: unknown;
  /** Pointers whose sentences stand at their fields already. */
  readonly shownAtFields?: readonly string[];
  /** Where a pointer leads, in words. */
  readonly placeOf?: (pointer: string) => string;
}

/** A refusal where the action was, with the request id by which an operator finds it. Nothing without an error. */
export function ProblemAlert({ error, shownAtFields = [], placeOf = (pointer) => pointer }: Props) {
  if (error === null || error === undefined) return null;
  if (!(error instanceof ApiProblem))
    return (
      <Alert color="red" role="alert" title="Something went wrong">
        {error instanceof Error ? error.message : String(error)}
      </Alert>
    );
  const others = error.errors.filter(({ pointer }) => !shownAtFields.includes(pointer));
  return (
    <Alert color="red" role="alert" title={<Sentence text={error.message} />}>
      {others.length > 0 && (
        <List size="sm">
          {others.map(({ pointer, message }) => (
            <List.Item key={pointer + message}>
              {pointer === '' ? '' : `${placeOf(pointer)}: `}
              <Sentence text={message} />
            </List.Item>
          ))}
        </List>
      )}
      {error.requestId !== undefined && (
        <Group gap={6} mt={others.length > 0 ? 'xs' : 0}>
          <Text size="xs">{error.code}, request</Text>
          <CopyId value={error.requestId} what="request id" />
        </Group>
      )}
    </Alert>
  );
}
