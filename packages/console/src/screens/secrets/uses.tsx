import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import type { Secret } from './queries.ts';

const uses = { hook: 'checks messages to its hook', http: 'sends it' } as const;

/** The live logic blocks that name a secret. */
export function Uses({ secret: { referenced_by: references = [] } }: { readonly secret: Secret }) {
  const { org, env } = usePlace();
  if (references.length === 0)
    return (
      <Text size="sm" c="dimmed">
        no logic block
      </Text>
    );
  return references.map(({ logicblock, use }) => (
    <Text key={`${logicblock} ${use}`} size="sm">
      <Anchor component={Link} to={`/o/${org}/${env}/logic-blocks/${logicblock}`} size="sm" underline="always">
        {logicblock}
      </Anchor>{' '}
      {uses[use]}
    </Text>
  ));
}
