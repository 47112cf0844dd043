import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { initialOf } from '../../components/schema-form/schema.ts';
import { Screen } from '../../components/screen.tsx';
import { isListed, listedKinds } from './kinds.ts';
import { NewItem } from './new-item.tsx';
import { schemasQuery } from './queries.ts';

export function NewConfigItem() {
  const { org, env } = usePlace();
  const { kind } = useParams({ from: '/o/$org/$env/new-config/$kind' });
  const navigate = useNavigate();
  const schemas = useQuery(schemasQuery);
  if (!isListed(kind) || kind === 'settings') return <NotFound />;
  const toItem = (name: string) =>
    navigate({ to: '/o/$org/$env/config/$kind/$name', params: { org, env, kind, name }, ignoreBlocker: true });
  return (
    <Screen title={`New ${listedKinds[kind].singular}`} intro={listedKinds[kind].intro}>
      <Loaded query={schemas} skeleton={<Skeleton height={420} />}>
        {(all) => {
          const schema = all.get(kind);
          if (schema === undefined) return <NotFound />;
          const initial = initialOf(schema) as object;
          const list = `/o/${org}/${env}/config/${kind}`;
          return <NewItem key={kind} kind={kind} schema={schema} initial={initial} list={list} onMade={toItem} />;
        }}
      </Loaded>
    </Screen>
  );
}
