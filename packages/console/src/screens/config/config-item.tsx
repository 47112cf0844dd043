import { Alert, List, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ItemVersions } from '../../components/item-versions.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { Screen } from '../../components/screen.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { IdleNotice, ItemLink } from './config-list.tsx';
import { ContentTab } from './content-tab.tsx';
import { isKind, kinds } from './kinds.ts';
import { type Item, itemQuery, type Named, type Referring, schemaOf, schemasQuery } from './queries.ts';
import { RemoveItem } from './remove-item.tsx';

/** One config item: its content, what it refers to and what refers to it, and its versions. */
export function ConfigItem() {
  const { env } = usePlace();
  const { kind, name } = useParams({ from: '/o/$org/$env/config/$kind/$name' });
  return isKind(kind) ? <KnownKind env={env} kind={kind} name={name} /> : <NotFound />;
}

function KnownKind({ env, kind, name }: Named) {
  const { tab = 'content' } = useSearch({ from: '/o/$org/$env/config/$kind/$name' });
  const navigate = useNavigate();
  const item = useQuery(itemQuery({ env, kind, name }));
  const schemas = useQuery(schemasQuery);
  const schema = schemas.data === undefined ? undefined : schemaOf(schemas.data, kind, name);
  const isStored = item.data?.version !== undefined;
  return (
    <Screen
      title={name}
      intro={<Sentence text={schema?.description ?? `A ${kinds[kind].singular}`} />}
      actions={isStored && <RemoveItem kind={kind} name={name} referencedBy={item.data?.referencedBy ?? []} />}
    >
      <IdleNotice kind={kind} />
      {!kinds[kind].isIdle &&
        item.data?.warnings.map((warning) => (
          <Alert key={warning} color="yellow">
            <Sentence text={warning} />
          </Alert>
        ))}
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(chosen) =>
          void navigate({ to: '.', search: chosen === null || chosen === 'content' ? {} : { tab: chosen } })
        }
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="content">Content</Tabs.Tab>
          <Tabs.Tab value="references">References</Tabs.Tab>
          {env === 'test' && isStored && <Tabs.Tab value="versions">Versions</Tabs.Tab>}
        </Tabs.List>
        <Loaded query={item} skeleton={<Skeleton height={420} />}>
          {(data) => (
            <>
              <Tabs.Panel value="content">
                <Loaded query={schemas} skeleton={<Skeleton height={420} />}>
                  {() =>
                    schema === undefined ? (
                      <NotFound />
                    ) : (
                      <ContentTab key={`${env} ${kind} ${name}`} kind={kind} name={name} schema={schema} item={data} />
                    )
                  }
                </Loaded>
              </Tabs.Panel>
              <Tabs.Panel value="references">
                <References item={data} />
              </Tabs.Panel>
              {env === 'test' && isStored && (
                <Tabs.Panel value="versions">
                  <ItemVersions kind={kind} name={name} />
                </Tabs.Panel>
              )}
            </>
          )}
        </Loaded>
      </Tabs>
    </Screen>
  );
}

export function References({ item: { references, referencedBy } }: { readonly item: Item }) {
  if (references.length + referencedBy.length === 0)
    return <EmptyState title="Stands alone">It refers to no other item, and no other item refers to it.</EmptyState>;
  return (
    <Stack>
      <ReferenceList title="It refers to" items={references} />
      <ReferenceList title="Items that refer to it" items={referencedBy} />
    </Stack>
  );
}

function ReferenceList({ title, items }: { readonly title: string; readonly items: readonly Referring[] }) {
  if (items.length === 0) return null;
  return (
    <section aria-label={title}>
      <Text fw={600} mb={4}>
        {title}
      </Text>
      <List size="sm">
        {items.map(({ kind, name, reason }) => (
          <List.Item key={`${kind} ${name}`}>
            {kind} <ItemLink kind={kind} name={name} />: <Sentence text={reason} />
          </List.Item>
        ))}
      </List>
    </section>
  );
}
