import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';
import { DecisionView } from '../../components/decision/decision-view.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { WhyDrawer } from '../simulator/why-drawer.tsx';
import { type CellVerb, callOfCell, cellVerbs } from './cells.ts';

interface Props {
  readonly workspace: string;
  readonly user: string;
  /** An action, such as `getorder` or `runclose`; undefined while no cell is explained. */
  readonly cell: string | undefined;
  readonly onClose: () => void;
}

/** The statements behind a cell of the matrix. */
export function CellWhy({ workspace, user, cell, onClose }: Props) {
  const verb = cellVerbs.find((one) => cell?.startsWith(one) === true);
  return (
    <WhyDrawer
      title={verb === undefined ? 'Why' : `Why: ${verb} ${cell?.slice(verb.length)}`}
      isOpen={cell !== undefined}
      onClose={onClose}
    >
      {cell !== undefined && verb !== undefined && (
        <Why workspace={workspace} user={user} verb={verb} entity={cell.slice(verb.length)} />
      )}
    </WhyDrawer>
  );
}

interface WhyProps {
  readonly workspace: string;
  readonly user: string;
  readonly verb: CellVerb;
  readonly entity: string;
}

function Why({ workspace, user, verb, entity }: WhyProps) {
  const { org, env } = usePlace();
  const { action, resource } = callOfCell(entity, verb);
  const why = useQuery({
    queryKey: ['members', env, workspace, 'why', user, action],
    queryFn: ({ signal }) =>
      call('simulateAccess', { body: { env, tenant_code: workspace, user_id: user, action, resource }, signal }),
  });
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {verb === 'run'
          ? 'For a call made now, with nothing in the path after the name of the block.'
          : 'For a record that no statement names by its id, and a call made now.'}
      </Text>
      <Loaded query={why}>{(data) => <DecisionView decision={data} workspace={workspace} />}</Loaded>
      <Group>
        <Button
          component={Link}
          to={`/o/${org}/${env}/simulator`}
          search={{ w: workspace, member: user, action, resource } as never}
          variant="default"
        >
          {verb === 'run' ? 'Simulate' : 'Simulate with a record'}
        </Button>
      </Group>
    </Stack>
  );
}
