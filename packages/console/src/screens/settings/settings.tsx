import { Alert, Anchor, Badge, Paper, SimpleGrid, Skeleton, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { type Setting, settingsQuery } from '../config/queries.ts';
import { pageOfSetting, type SettingsPage, settingsPages } from './pages.ts';
import { PromotionNotice } from './promotion-notice.tsx';
import classes from './settings.module.css';

/** Everything that an org settles: a page for each subject, and every setting in one table. */
export function Settings() {
  const { env, adminReason } = usePlace();
  const settings = useQuery(settingsQuery(env));
  return (
    <Screen title="Settings" intro="How the app signs users in, which pages and hosts it trusts, and what it warns of.">
      {adminReason !== undefined && (
        <Alert color="gray" role="note">
          You see the settings. Only an admin of the org changes them.
        </Alert>
      )}
      <PromotionNotice path="" />
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {settingsPages.map((page) => (
          <PageCard key={page.path} page={page} settings={settings.data} />
        ))}
      </SimpleGrid>
      <Title order={2}>All settings</Title>
      <Loaded query={settings} skeleton={<Skeleton height={420} />}>
        {(all) => <SettingTable settings={all} />}
      </Loaded>
    </Screen>
  );
}

function PageCard({
  page,
  settings,
}: {
  readonly page: SettingsPage;
  readonly settings: readonly Setting[] | undefined;
}) {
  const { org, env } = usePlace();
  const own = settings?.filter(({ group, name }) => page.settings.includes(`${group}.${name}`));
  const count = own?.filter(({ version }) => version > 0).length;
  return (
    <Paper withBorder p="md">
      <Anchor component={Link} to={`/o/${org}/${env}/settings/${page.path}`} fw={600}>
        {page.label}
      </Anchor>
      <Text size="sm" mt={4}>
        {page.intro}
      </Text>
      <Text size="xs" c="dimmed" mt="xs">
        {page.settings.length === 0
          ? 'Belongs to the org; no deploy changes it'
          : count === undefined
            ? ' '
            : count === 0
              ? 'Has its default'
              : `${count} of ${page.settings.length} set`}
      </Text>
    </Paper>
  );
}

function SettingTable({ settings }: { readonly settings: readonly Setting[] }) {
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="All settings">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Setting</Table.Th>
            <Table.Th>Value</Table.Th>
            <Table.Th>Default</Table.Th>
            <Table.Th>Changed by</Table.Th>
            <Table.Th>More</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {settings.map((setting) => (
            <SettingRow key={`${setting.group}.${setting.name}`} setting={setting} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function SettingRow({ setting }: { readonly setting: Setting }) {
  const { org, env } = usePlace();
  const { version, description } = setting;
  const key = `${setting.group}.${setting.name}`;
  const page = pageOfSetting(key);
  const item = `/o/${org}/${env}/config/settings/${key}`;
  return (
    <Table.Tr>
      <Table.Td className={classes.what}>
        <Anchor component={Link} to={page === undefined ? item : `/o/${org}/${env}/settings/${page.path}`} fw={500}>
          {key}
        </Anchor>
        <Text size="sm" c="dimmed">
          <Sentence text={description} />
        </Text>
      </Table.Td>
      <Table.Td>
        <Value value={setting.value} />
        <Badge variant="dot" color={version === 0 ? 'gray' : 'teal'} tt="none">
          {version === 0 ? 'default' : 'set'}
        </Badge>
        {'prod_value' in setting && (
          <Text size="xs" c="dimmed" mt={4}>
            Production has its own value
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Value value={setting.default} />
      </Table.Td>
      <Table.Td>Admins of the org</Table.Td>
      <Table.Td>
        <Anchor component={Link} to={item} size="sm">
          JSON<VisuallyHidden> of {key}</VisuallyHidden>
        </Anchor>
        {env === 'test' && version > 0 && (
          <Text size="sm">
            <Anchor component={Link} to={item} search={{ tab: 'versions' } as never} size="sm">
              Versions<VisuallyHidden> of {key}</VisuallyHidden>
            </Anchor>
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

const shownCharacters = 60;

function Value({ value }: { readonly value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <Text size="sm" className={classes.value}>
      {text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text}
    </Text>
  );
}
