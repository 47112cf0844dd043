import { List, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ItemVersions } from '../../components/item-versions.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import type { Schema } from '../../components/schema-form/schema.ts';
import { Sentence } from '../../components/sentence.tsx';
import { ItemLink } from './config-list.tsx';
import { ContentTab, type ContentTabProps } from './content-tab.tsx';
import type { Item, Named, Referring } from './queries.ts';

interface Props extends Pick<ContentTabProps, 'Form' | 'check' | 'below'> {
  readonly named: Named;
  readonly tab: string;
  readonly item: UseQueryResult<Item>;
  readonly schemas: UseQueryResult<unknown>;
  /** Undefined while the schemas are on their way, and of a kind that has none. */
  readonly schema: Schema | undefined;
}

/** The content of an item, what it refers to and what refers to it, and its versions. */
export function ItemTabs({ named: { env, kind, name }, tab, item, schemas, schema, ...editor }: Props) {
  const navigate = useNavigate();
  const hasVersions = env === 'test' && item.data?.version !== undefined;
  return (
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
        {hasVersions && <Tabs.Tab value="versions">Versions</Tabs.Tab>}
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
                    <ContentTab
                      key={`${env} ${kind} ${name}`}
                      kind={kind}
                      name={name}
                      schema={schema}
                      item={data}
                      {...editor}
                    />
                  )
                }
              </Loaded>
            </Tabs.Panel>
            <Tabs.Panel value="references">
              <References item={data} />
            </Tabs.Panel>
            {hasVersions && (
              <Tabs.Panel value="versions">
                <ItemVersions kind={kind} name={name} />
              </Tabs.Panel>
            )}
          </>
        )}
      </Loaded>
    </Tabs>
  );
}

function References({ item: { references, referencedBy } }: { readonly item: Item }) {
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
