import { Anchor, AppShell, Burger, Group, ScrollArea, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { meQuery, usePlace } from '../api/session.ts';
import { SearchIcon } from '../components/icons.tsx';
import { lazyPart } from '../components/lazy.tsx';
import logo from '../logo.svg';
import { AccountMenu } from './account-menu.tsx';
import { EnvironmentSwitch } from './environment-switch.tsx';
import { NoProduction } from './no-production.tsx';
import { OrgMenu } from './org-menu.tsx';
import { OtherOrgNotice } from './other-org-notice.tsx';
import { Sections } from './sections.tsx';
import classes from './shell.module.css';
import { WorkspaceSwitch } from './workspace-switch.tsx';

const ActorBanner = lazyPart(
  async () => (await import('./actor-banner.tsx')).ActorBanner,
  <div className={classes.actor} />,
);

/** Comes after the first content. Opened meanwhile, it shows once it is there. */
const CommandPalette = lazyPart(async () => (await import('./command-palette.tsx')).CommandPalette, null);

/** The frame of all screens: where the user is, what there is, and the screen. */
export function Shell() {
  const { env, readOnlyReason } = usePlace();
  const { data: me } = useQuery(meQuery);
  useHotkeys([['mod+K', spotlight.open]], []);
  const hasPlace = env === 'test' || me?.org.environments.prod !== null;
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    if (path !== '') close();
  }, [path, close]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="lg"
      data-env={env}
      className={classes.shell}
    >
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place of the page, as a link does */}
      <a
        href="#content"
        className={classes.skip}
        onClick={(event) => {
          // The address keeps its state, and the router asks nothing about what is unsaved.
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="xs" wrap="nowrap" className={classes.place}>
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <img src={logo} alt="" width={24} height={24} className={classes.logo} />
            <OrgMenu />
            <EnvironmentSwitch />
            <WorkspaceSwitch />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <UnstyledButton className={classes.search} onClick={spotlight.open} aria-label="Go to… Ctrl K">
              <SearchIcon />
              <Text size="sm" visibleFrom="sm" component="span">
                Go to…
              </Text>
              <Text size="xs" c="dimmed" visibleFrom="sm" component="kbd">
                Ctrl K
              </Text>
            </UnstyledButton>
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Screens" className={classes.navbar} data-closed={!isOpen}>
        <ScrollArea>
          <Sections />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} ref={main} className={classes.content}>
        {hasPlace && readOnlyReason !== undefined && <ProductionNotice reason={readOnlyReason} />}
        <OtherOrgNotice />
        <Acting />
        {hasPlace ? <Outlet /> : <NoProduction />}
      </AppShell.Main>
      <CommandPalette />
    </AppShell>
  );
}

/** Says why nothing can be changed here, and leads to where it can. */
function ProductionNotice({ reason }: { readonly reason: string }) {
  const { org } = usePlace();
  const path = useRouterState({ select: ({ location }) => location.pathname.split('/prod')[1] ?? '' });
  // What production has under an id, test does not have: the way leads to the list of such things.
  if (/^\/(app-users|workspaces)(\/|$)/.test(path)) return <PeopleNotice />;
  const screen = path.replace(/\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '');
  return (
    <Text className={classes.notice} size="sm" role="note">
      <strong>Production.</strong> {reason}{' '}
      <Anchor component={Link} to={`/o/${org}/test${screen}`} size="sm" underline="always">
        Show this in test
      </Anchor>
      {', '}
      <Anchor component={Link} to={`/o/${org}/prod/deploy`} size="sm" underline="always">
        open Deploy
      </Anchor>
    </Text>
  );
}

/** No deploy changes the people of an app: what is done about them is done here. */
function PeopleNotice() {
  return (
    <Text className={classes.notice} size="sm" role="note">
      <strong>Production.</strong> These are real users. What is done here holds at once.
    </Text>
  );
}

/** In whose name the app is called, where that is a user of it. */
function Acting() {
  const { workspace } = usePlace();
  const { u } = useSearch({ from: '/o/$org/$env' });
  if (u === undefined || workspace === undefined) return null;
  return <ActorBanner workspace={workspace} user={u} />;
}
