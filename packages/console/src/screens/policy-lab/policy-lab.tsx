import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { ChooseWorkspace } from '../../components/choose-workspace.tsx';
import { AdminsOnly } from '../../components/org/admins-only.tsx';
import { useHidesValues } from '../../components/org/hidden-values.tsx';
import { Screen } from '../../components/screen.tsx';
import { ReplayTab } from './replay-tab.tsx';
import { ReportedTab } from './reported-tab.tsx';
import { SuggestTab } from './suggest-tab.tsx';

/** What policies would have done to the calls that were made, and what was used of them. */
export function PolicyLab() {
  const { workspace } = usePlace();
  const hidesValues = useHidesValues();
  const { tab = 'replay' } = useSearch({ from: '/o/$org/$env/policy-lab' });
  const navigate = useNavigate();
  return (
    <Screen
      title="Policy lab"
      intro="Try a change of policies on the calls that were made. It takes effect once you save it."
    >
      {workspace === undefined ? (
        <ChooseWorkspace>Policies and recorded calls belong to a workspace.</ChooseWorkspace>
      ) : hidesValues ? (
        <AdminsOnly what="what was recorded of calls in production">{null}</AdminsOnly>
      ) : (
        <Tabs
          key={workspace}
          value={tab}
          keepMounted={false}
          onChange={(chosen) =>
            void navigate({
              to: '.',
              search: (kept: object) => ({ ...kept, tab: chosen === 'replay' ? undefined : chosen }) as never,
            })
          }
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="replay">Replay</Tabs.Tab>
            <Tabs.Tab value="suggest">Least privilege</Tabs.Tab>
            <Tabs.Tab value="reported">Reported</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="replay">
            <ReplayTab workspace={workspace} />
          </Tabs.Panel>
          <Tabs.Panel value="suggest">
            <SuggestTab workspace={workspace} />
          </Tabs.Panel>
          <Tabs.Panel value="reported">
            <ReportedTab workspace={workspace} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Screen>
  );
}
