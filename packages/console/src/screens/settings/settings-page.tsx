import { Anchor, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePlace } from '../../api/session.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { type Setting, settingsQuery } from '../config/queries.ts';
import { settingsPages } from './pages.ts';
import { PromotionNotice } from './promotion-notice.tsx';

interface FrameProps {
  /** Of the page below `/settings/`. */
  readonly path: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every page of the settings. */
export function SettingsFrame({ path, actions, children }: FrameProps) {
  const { org, env } = usePlace();
  const page = settingsPages.find((one) => one.path === path);
  return (
    <Screen
      title={page?.label ?? 'Settings'}
      intro={page?.intro}
      actions={
        <>
          {actions}
          <Anchor component={Link} to={`/o/${org}/${env}/settings`} size="sm">
            All settings
          </Anchor>
        </>
      }
    >
      {children}
    </Screen>
  );
}

interface PageProps extends Omit<FrameProps, 'children'> {
  readonly children: (settingOf: (key: string) => Setting | undefined) => ReactNode;
}

/** A page of settings that are promoted. */
export function SettingsPageOf({ children, ...frame }: PageProps) {
  const { env } = usePlace();
  const settings = useQuery(settingsQuery(env));
  return (
    <SettingsFrame {...frame}>
      <PromotionNotice path={frame.path} />
      <Loaded query={settings} skeleton={<Skeleton height={320} />}>
        {(all) => children((key) => all.find(({ group, name }) => `${group}.${name}` === key))}
      </Loaded>
    </SettingsFrame>
  );
}
