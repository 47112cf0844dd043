import { ActionIcon, AppShell, Badge, Burger, Button, Group, NavLink, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { queryClient } from '../../api/query-client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { LockIcon, MoonIcon, SunIcon } from '../../components/icons.tsx';
import { Screen } from '../../components/screen.tsx';
import logo from '../../logo.svg';
import { useDarkness } from '../../shell/account-menu.tsx';
import shell from '../../shell/shell.module.css';
import { keyHolder } from './operate.ts';
import classes from './operations.module.css';
import { OperationsLink } from './operations-link.tsx';
import { operationsScreens } from './operations-screens.ts';

interface Props {
  /** As the address names it; undefined for the first one. */
  readonly screen: string | undefined;
  /** The subject of the screen, where it is about one thing. */
  readonly item: string | undefined;
}

/** The frame of the screens for who runs the platform. What they have read goes with the key. */
export function OperationsFrame({ screen, item }: Props) {
  const [client] = useState(() => new QueryClient({ defaultOptions: queryClient.getDefaultOptions() }));
  useEffect(() => () => client.clear(), [client]);
  const [isOpen, { toggle, close }] = useDisclosure(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation covers a small screen until another one is chosen
  useEffect(close, [screen, item]);
  const found = screen === undefined ? operationsScreens[0] : operationsScreens.find(({ path }) => path === screen);
  return (
    <QueryClientProvider client={client}>
      <AppShell
        header={{ height: 52 }}
        navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
        padding="lg"
      >
        <AppShell.Header className={classes.header}>
          <Header isOpen={isOpen} onToggle={toggle} />
        </AppShell.Header>
        <AppShell.Navbar p="sm" aria-label="Screens" className={shell.navbar} data-closed={!isOpen}>
          <ScrollArea>
            {operationsScreens.map(({ path, label, icon: Icon }) => (
              <OperationsLink key={path} screen={path} className={shell.link ?? ''}>
                <NavLink
                  component="span"
                  label={label}
                  leftSection={<Icon />}
                  active={path === found?.path}
                  className={shell.entry}
                />
              </OperationsLink>
            ))}
          </ScrollArea>
        </AppShell.Navbar>
        <AppShell.Main>{found === undefined ? <NoScreen /> : <found.Shown key={item} item={item} />}</AppShell.Main>
      </AppShell>
    </QueryClientProvider>
  );
}

function Header({ isOpen, onToggle }: { readonly isOpen: boolean; readonly onToggle: () => void }) {
  const { isDark, toggle } = useDarkness();
  return (
    <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
      <Group gap="xs" wrap="nowrap">
        <Burger opened={isOpen} onClick={onToggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
        <img src={logo} alt="" width={24} height={24} className={shell.logo} />
        <Text fw={600} component="span" visibleFrom="sm">
          Freehold
        </Text>
        <Badge variant="outline" color="grape" tt="none">
          Operations
        </Badge>
      </Group>
      <Group gap="xs" wrap="nowrap">
        <ActionIcon
          variant="default"
          size={32}
          radius="xl"
          aria-label={isDark ? 'Light colours' : 'Dark colours'}
          onClick={toggle}
        >
          {isDark ? <SunIcon /> : <MoonIcon />}
        </ActionIcon>
        <Button variant="default" size="xs" leftSection={<LockIcon />} onClick={() => keyHolder.lock()}>
          Lock
        </Button>
      </Group>
    </Group>
  );
}

function NoScreen() {
  return (
    <Screen title="Operations">
      <EmptyState title="There is nothing here">
        The address leads to no screen. Choose one in the navigation.
      </EmptyState>
    </Screen>
  );
}
