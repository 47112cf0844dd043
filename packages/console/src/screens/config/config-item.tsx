import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { NotFound } from '../../components/not-found.tsx';
import { Screen } from '../../components/screen.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { IdleNotice } from './config-list.tsx';
import { ItemTabs } from './item-tabs.tsx';
import { isListed, type ListedKind, listedKinds } from './kinds.ts';
import { itemQuery, type Named, schemaOf, schemasQuery } from './queries.ts';
import { RemoveItem } from './remove-item.tsx';

/** One config item: its content, what it refers to and what refers to it, and its versions. */
export function ConfigItem() {
  const { env } = usePlace();
  const { kind, name } = useParams({ from: '/o/$org/$env/config/$kind/$name' });
  return isListed(kind) ? <KnownKind env={env} kind={kind} name={name} /> : <NotFound />;
}

function KnownKind({ env, kind, name }: Named & { readonly kind: ListedKind }) {
  const { tab = 'content' } = useSearch({ from: '/o/$org/$env/config/$kind/$name' });
  const item = useQuery(itemQuery({ env, kind, name }));
  const schemas = useQuery(schemasQuery);
  const schema = schemas.data === undefined ? undefined : schemaOf(schemas.data, kind, name);
  return (
    <Screen
      title={name}
      intro={<Sentence text={schema?.description ?? `A ${listedKinds[kind].singular}`} />}
      actions={item.data?.version !== undefined && <RemoveItem kind={kind} name={name} item={item.data} />}
    >
      <IdleNotice kind={kind} />
      {!listedKinds[kind].isIdle &&
        item.data?.warnings.map((warning) => (
          <Alert key={warning} color="yellow">
            <Sentence text={warning} />
          </Alert>
        ))}
      <ItemTabs named={{ env, kind, name }} tab={tab} item={item} schemas={schemas} schema={schema} />
    </Screen>
  );
}
