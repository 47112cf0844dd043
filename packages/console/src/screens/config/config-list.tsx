import { Alert, Anchor, Badge, Button, Paper, Stack, Table, Tabs, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { LineSkeletons, Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { When } from '../../components/when.tsx';
import classes from './config.module.css';
import { isListed, type ListedKind, listedKinds, listedNames } from './kinds.ts';
import { itemsQuery, type Setting, schemasQuery, settingsQuery } from './queries.ts';

/** The config items beside entities and logic blocks, by their kinds. */
export function ConfigList() {
  const { org, env } = usePlace();
  const { kind } = useParams({ from: '/o/$org/$env/config/$kind' });
  const navigate = useNavigate();
  if (!isListed(kind)) return <NotFound />;
  const { intro } = listedKinds[kind];
  return (
    <Screen title="Configuration" intro={intro} actions={kind !== 'settings' && <NewItem kind={kind} />}>
      <Tabs
        value={kind}
        onChange={(chosen) =>
          void navigate({ to: '/o/$org/$env/config/$kind', params: { org, env, kind: chosen ?? kind } })
        }
      >
        <Tabs.List>
          {listedNames.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {listedKinds[one].plural}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={kind} pt="md">
          {kind === 'settings' ? <Settings /> : <Items key={kind} kind={kind} />}
        </Tabs.Panel>
      </Tabs>
    </Screen>
  );
}

function NewItem({ kind }: { readonly kind: ListedKind }) {
  const { org, env, readOnlyReason } = usePlace();
  const navigate = useNavigate();
  return (
    <ReasonedButton
      reason={readOnlyReason}
      onClick={() => void navigate({ to: '/o/$org/$env/new-config/$kind', params: { org, env, kind } })}
    >
      New {listedKinds[kind].singular}
    </ReasonedButton>
  );
}

/** What is stored and does nothing says so where it is listed. */
export function IdleNotice({ kind }: { readonly kind: ListedKind }) {
  const { isIdle, plural } = listedKinds[kind];
  if (!isIdle) return null;
  return (
    <Alert
      color="yellow"
      classNames={{ title: classes.alertTitle ?? '' }}
      title={`Nothing runs ${plural.toLowerCase()} yet`}
    >
      They are stored, checked, versioned and deployed, and have no effect in this version of the platform.
    </Alert>
  );
}

function Items({ kind }: { readonly kind: ListedKind }) {
  const { env } = usePlace();
  const pages = useInfiniteQuery(itemsQuery(env, kind));
  const { plural, singular, intro } = listedKinds[kind];
  if (pages.data === undefined)
    return pages.isError ? (
      <Stack align="flex-start">
        <ProblemAlert error={pages.error} />
        <Button variant="default" onClick={() => void pages.refetch()} loading={pages.isFetching}>
          Try again
        </Button>
      </Stack>
    ) : (
      <LineSkeletons />
    );
  const items = pages.data.pages.flatMap((page) => page.items);
  return (
    <Stack>
      <IdleNotice kind={kind} />
      {items.length === 0 ? (
        <EmptyState title={`No ${plural.toLowerCase()} yet`} action={env === 'test' ? <NewItem kind={kind} /> : null}>
          {env === 'test' ? intro : `Make the ${singular} in test. A deploy brings it here.`}
        </EmptyState>
      ) : (
        <ItemTable kind={kind} items={items} />
      )}
      {pages.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Stack>
  );
}

interface ListedItem {
  readonly name: string;
  readonly version: number;
  readonly updated_at?: string | undefined;
}

function ItemTable({ kind, items }: { readonly kind: ListedKind; readonly items: readonly ListedItem[] }) {
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label={listedKinds[kind].plural}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th className={classes.number}>Version</Table.Th>
            <Table.Th>Changed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map(({ name, version, updated_at }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <ItemLink kind={kind} name={name} />
              </Table.Td>
              <Table.Td className={classes.number}>{version}</Table.Td>
              <Table.Td>{updated_at === undefined ? 'by a deploy' : <When at={updated_at} />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

/** Where items of a kind are shown that the screen of the configuration does not list. */
const screens: Readonly<Record<string, string>> = { entity: 'entities', logicblock: 'logic-blocks' };

export function ItemLink({ kind, name }: { readonly kind: string; readonly name: string }) {
  const { org, env } = usePlace();
  return (
    <Anchor component={Link} to={`/o/${org}/${env}/${screens[kind] ?? `config/${kind}`}/${name}`} fw={500}>
      {name}
    </Anchor>
  );
}

/** All settings, also those with their default, with what they decide. */
function Settings() {
  const { env } = usePlace();
  const settings = useQuery(settingsQuery(env));
  const schemas = useQuery(schemasQuery);
  return (
    <Loaded query={settings}>
      {(all) => (
        <Paper withBorder className={classes.scroll}>
          <Table highlightOnHover aria-label="Settings">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Value</Table.Th>
                <Table.Th>What it decides</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {all.map((setting) => {
                const name = `${setting.group}.${setting.name}`;
                const schema = schemas.data?.get('settings')?.anyOf?.find(({ title }) => title === name);
                return (
                  <Table.Tr key={name}>
                    <Table.Td>
                      <ItemLink kind="settings" name={name} />
                    </Table.Td>
                    <Table.Td>
                      <Value setting={setting} />
                    </Table.Td>
                    <Table.Td>
                      <Text size="sm" c="dimmed">
                        {schema?.description !== undefined && <Sentence text={schema.description} />}
                      </Text>
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
    </Loaded>
  );
}

const shownCharacters = 60;

function Value({ setting: { value, version } }: { readonly setting: Setting }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <>
      <Text size="sm" className={classes.value}>
        {text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text}
      </Text>
      {version === 0 && (
        <Badge variant="dot" color="gray" mt={4}>
          default
        </Badge>
      )}
    </>
  );
}
