import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery } from '../../api/session.ts';
import { LineSkeletons } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { NoProduction } from '../../shell/no-production.tsx';
import { ChangesTab } from './changes-tab.tsx';
import { FilesTab } from './files-tab.tsx';
import { ReleasesTab } from './releases-tab.tsx';
import { RetiredTab } from './retired-tab.tsx';

/** The way of configuration from test to production, and back. */
export function Deploy() {
  const { data: me } = useQuery(meQuery);
  return (
    <Screen
      title="Deploy"
      intro="Brings configuration from test to production. Records, users, workspaces and policies never move."
    >
      {me === undefined ? <LineSkeletons /> : me.org.environments.prod === null ? <NoProduction /> : <DeployTabs />}
    </Screen>
  );
}

function DeployTabs() {
  const { tab = 'changes' } = useSearch({ from: '/o/$org/$env/deploy' });
  const navigate = useNavigate();
  // What is chosen stays while the user looks at another tab.
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  return (
    <Tabs
      value={tab}
      keepMounted={false}
      onChange={(next) => void navigate({ to: '.', search: next === null || next === 'changes' ? {} : { tab: next } })}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="changes">Changes</Tabs.Tab>
        <Tabs.Tab value="releases">Releases</Tabs.Tab>
        <Tabs.Tab value="retired">Retired entities</Tabs.Tab>
        <Tabs.Tab value="files">Files</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="changes">
        <ChangesTab chosen={chosen} onChoose={setChosen} />
      </Tabs.Panel>
      <Tabs.Panel value="releases">
        <ReleasesTab />
      </Tabs.Panel>
      <Tabs.Panel value="retired">
        <RetiredTab />
      </Tabs.Panel>
      <Tabs.Panel value="files">
        <FilesTab />
      </Tabs.Panel>
    </Tabs>
  );
}
