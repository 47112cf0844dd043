import '@mantine/spotlight/styles.layer.css';
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { usePlace } from '../api/session.ts';
import {
  EventIcon,
  KeyIcon,
  LeaveIcon,
  MoonIcon,
  SearchIcon,
  SettingsIcon,
  SunIcon,
  SwapIcon,
  UserIcon,
} from '../components/icons.tsx';
import { settingsPages } from '../screens/settings/pages.ts';
import { useDarkness, useSignOut } from './account-menu.tsx';
import { navigation } from './navigation.ts';

/** Everything that can be gone to or done from anywhere. The frame opens it by Ctrl-K. */
export function CommandPalette() {
  const { org, env } = usePlace();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { isDark, toggle } = useDarkness();
  const otherEnv = env === 'test' ? 'prod' : 'test';
  const screens = navigation.flatMap<SpotlightActionData | SpotlightActionGroupData>(({ heading, screens: listed }) => {
    const toThem = listed.map(({ label, to, icon: Icon }) => ({
      id: label,
      label,
      leftSection: <Icon />,
      onClick: () => void navigate({ to, params: { org, env } }),
    }));
    return heading === undefined ? toThem : [{ group: heading, actions: toThem }];
  });
  const settings = settingsPages.map(({ path, label, intro }) => ({
    id: `settings/${path}`,
    label,
    description: intro,
    leftSection: <SettingsIcon />,
    onClick: () => void navigate({ to: `/o/${org}/${env}/settings/${path}` }),
  }));
  const deliveries: SpotlightActionData = {
    id: 'deliveries',
    label: 'Deliveries of events',
    leftSection: <EventIcon />,
    onClick: () => void navigate({ to: '/o/$org/$env/events', params: { org, env }, search: { tab: 'deliveries' } }),
  };
  const others: SpotlightActionData[] = [
    {
      id: 'environment',
      leftSection: <SwapIcon />,
      label: otherEnv === 'prod' ? 'Go to production' : 'Go to test',
      onClick: () => void navigate({ to: '/o/$org/$env', params: { org, env: otherEnv }, search: { w: undefined } }),
    },
    {
      id: 'account',
      label: 'Your account',
      leftSection: <UserIcon />,
      onClick: () => void navigate({ to: '/o/$org/$env/account', params: { org, env } }),
    },
    {
      id: 'operations',
      label: 'Operations',
      keywords: ['operator', 'platform'],
      leftSection: <KeyIcon />,
      onClick: () => void navigate({ to: '/operations/{-$screen}/{-$item}', params: {} }),
    },
    {
      id: 'colours',
      label: isDark ? 'Light colours' : 'Dark colours',
      leftSection: isDark ? <SunIcon /> : <MoonIcon />,
      onClick: toggle,
    },
    { id: 'sign-out', label: 'Sign out', leftSection: <LeaveIcon />, onClick: signOut },
  ];
  return (
    <Spotlight
      actions={[
        ...screens,
        { group: 'Settings', actions: settings },
        { group: 'General', actions: [deliveries, ...others] },
      ]}
      attributes={{ content: { 'aria-label': 'Command palette' } }}
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      nothingFound="Nothing has this name"
      shortcut={null}
      searchProps={{ placeholder: 'Go to…', leftSection: <SearchIcon />, 'aria-label': 'Go to' }}
    />
  );
}
