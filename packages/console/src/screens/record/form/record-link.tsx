import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../../api/session.ts';
import { isSystemEntity } from './record-search.ts';

interface Props {
  readonly entity: string;
  readonly id: string;
  readonly name: string;
}

/** A record by its name, which leads to it. */
export function RecordLink({ entity, id, name }: Props) {
  const { org, env } = usePlace();
  // The people and the policies of a workspace have screens of their own.
  if (isSystemEntity(entity))
    return (
      <Text size="sm" truncate>
        {name}
      </Text>
    );
  return (
    <Anchor
      size="sm"
      truncate
      renderRoot={(props) => (
        <Link {...props} to="/o/$org/$env/records/$entity" params={{ org, env, entity }} search={{ r: id }} />
      )}
    >
      {name}
    </Anchor>
  );
}
