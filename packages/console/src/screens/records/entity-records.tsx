import { Anchor, Paper, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useActor } from '../../api/app.ts';
import { usePlace } from '../../api/session.ts';
import { ChooseWorkspace } from '../../components/choose-workspace.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { entityQuery } from '../entities/queries.ts';
import { Readers } from './read-as.tsx';
import { RecordList } from './record-list.tsx';

/** The records of an entity in one workspace, read through the app API in the name of one of its users. */
export function EntityRecords() {
  const { org, env, adminReason } = usePlace();
  const { entity: name } = useParams({ from: '/o/$org/$env/records/$entity' });
  const actor = useActor();
  const entity = useQuery(entityQuery(env, name));
  const isPlaced = actor !== undefined && (env === 'test' || actor.user !== undefined);
  return (
    <Screen
      title={name}
      intro={
        <Anchor component={Link} to={`/o/${org}/${env}/records`} size="sm">
          All entities
        </Anchor>
      }
    >
      {actor === undefined && (
        <ChooseWorkspace>The records of {name} are shown of one workspace at a time.</ChooseWorkspace>
      )}
      {actor !== undefined &&
        !isPlaced &&
        (adminReason === undefined ? (
          <EmptyState
            title="Choose in whose name you read"
            action={
              <Paper withBorder p={4} w={340} maw="100%" mt="sm">
                <Readers workspace={actor.workspace} user={undefined} />
              </Paper>
            }
          >
            Production is read with the rights of one of its users. The audit log says that you did.
          </EmptyState>
        ) : (
          <EmptyState title="Production is read by admins of the org">{adminReason}</EmptyState>
        ))}
      {actor !== undefined && isPlaced && (
        <Loaded query={entity} skeleton={<Skeleton height={420} />}>
          {(data) => <RecordList key={JSON.stringify([actor, name])} actor={actor} entity={data} />}
        </Loaded>
      )}
    </Screen>
  );
}
